// The package openai.

import OpenAI from "openai";

export function makeClient(baseUrl, key, body) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: key });
  return {
    chat: async () => (await client.chat.completions.create(body)).choices[0].message.content,
    async stream(count) {
      const stream = await client.chat.completions.create({ ...body, stream: true });
      for await (const chunk of stream) count(chunk.choices[0]?.delta.content);
    },
  };
}
