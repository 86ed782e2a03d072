// What the declarations of the package say, for tsc: each line that is marked must be an error.

import { Client, ModelwireError, type ChatRequest, type Message, type Tool } from "modelwire";

const client = new Client({ base_url: "http://127.0.0.1:1/v1", http2: true });
new Client({ base_urls: ["http://127.0.0.1:1/v1", { url: "http://127.0.0.1:2/v1", weight: 2 }], balance: true });
// @ts-expect-error: no client has this option
new Client({ total_timout_ms: 1 });
// @ts-expect-error: it is an option of clients, not of calls
client.models({ base_url: "http://127.0.0.1:1/v1" });
const messages: Message[] = [
  { role: "system", content: "Be short." },
  { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] },
  { role: "tool", content: "21", tool_call_id: "1" },
  // @ts-expect-error: the result of a tool says of which call it is
  { role: "tool", content: "21" },
];
const tools: Tool[] = [{ type: "function", function: { name: "now", parameters: {} } }];
const request: ChatRequest = { model: "echo", messages, tools, service_field: 1 };
// @ts-expect-error: the messages are missing
client.chat({ model: "echo" });
// @ts-expect-error: a number is not a temperature as text
client.chat({ model: "echo", messages, temperature: "1" });
// @ts-expect-error: a schema has a name
client.chat({ ...request, response_format: { type: "json_schema", json_schema: {} } });

const whole = await client.chat({ ...request, stream: false }, { max_retries: 0 });
const content: string | null = whole.document.choices[0]!.message.content;
const total: number | undefined = whole.info.usage?.total_tokens;
const stream = client.chat({ ...request, stream: true }, { signal: AbortSignal.timeout(1000) });
for await (const chunk of stream) {
  const delta: string | null | undefined = chunk.document.choices[0]?.delta.content;
  // @ts-expect-error: of a chunk there is no status
  chunk.info.http_status;
}
const end: string | null | undefined = stream.response?.info.finish_reason;
const answer = await client.responses({ model: "echo", input: "Say hello." });
for (const item of answer.document.output) {
  if (item.type === "function_call") JSON.parse(item.arguments);
}
for await (const event of client.responses({ model: "echo", input: "x", stream: true })) {
  if (event.document.type === "response.output_text.delta") event.document.delta;
}
const names: string[] = (await client.models()).document.data.map((model) => model.id);
const error = new Error() as ModelwireError;
const hint: string = error.hint;
// @ts-expect-error: it has no such member
error.status_code;
void [content, total, end, names, hint];
