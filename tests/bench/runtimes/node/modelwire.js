// The binding.

import { Client } from "./binding/modelwire.mjs";

export function makeClient(baseUrl, key, body) {
  const client = new Client({ base_url: baseUrl, api_key: key });
  return {
    chat: async () => (await client.chat(body)).text,
    async stream(count) {
      for await (const chunk of client.chat({ ...body, stream: true })) count(chunk.text);
    },
  };
}
