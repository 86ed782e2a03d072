// Streams a chat: node example.mjs echo "Say hello."
// The base URL and the key come from MODELWIRE_BASE_URL and MODELWIRE_API_KEY.

import { Client, ModelwireError } from "modelwire";

const [model, content] = process.argv.slice(2);
if (content === undefined) {
  console.error("usage: node example.mjs MODEL TEXT");
  process.exit(2);
}
const client = new Client();
try {
  const messages = [{ role: "user", content }];
  const stream = client.chat({ model, messages, stream: true }, { idle_timeout_ms: 30_000 });
  for await (const chunk of stream) process.stdout.write(chunk.text);
  console.log(`\n(${stream.response.info.elapsed_ms} ms)`);
} catch (error) {
  if (!(error instanceof ModelwireError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await client.close();
}
