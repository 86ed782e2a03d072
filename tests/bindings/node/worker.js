// A thread of the scenario `workers`.

import { parentPort, workerData } from "node:worker_threads";

import { Client } from "modelwire";

const client = new Client();
const messages = [{ role: "user", content: `worker ${workerData}` }];
// Streams beside each other; in a thread that is to be terminated calls without end as well.
const texts = Array.from({ length: 20 }, async () => {
  let text = "";
  for await (const chunk of client.chat({ model: "slow", messages, stream: true })) {
    text += chunk.text;
  }
  return text;
});
while (workerData === "endless") await client.chat({ model: "echo", messages });
const said = (await Promise.all(texts)).reduce((one, other) => (one === other ? one : "mixed up"));
parentPort.postMessage(said);
if (workerData === "left") {
  await client.chat({ model: "slow", messages, stream: true }).next();
  process.exit();
}
