// The same package for TypeScript in CommonJS.

import { Client } from "modelwire";

async function hello(): Promise<string> {
  await using client = new Client();
  const messages = [{ role: "user" as const, content: "Say hello." }];
  return (await client.chat({ model: "echo", messages })).text;
}
void hello;
