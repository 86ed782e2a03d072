// The scenarios that every binding passes: node --expose-gc scenarios.js SCENARIO
// The service, and its script where there is one, is at MODELWIRE_BASE_URL.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { Client, ModelwireError, setLog } from "modelwire";

const ODD_TEXT = "a\0b äöü ß \u{1F600} 漢字 \u{1F469}\u200D\u{1F4BB} end";

function chatOf(content, model = "echo") {
  return { model, messages: [{ role: "user", content }] };
}

function streamOf(content, model = "echo") {
  return { ...chatOf(content, model), stream: true };
}

async function textOf(stream) {
  let text = "";
  for await (const chunk of stream) text += chunk.text;
  return text;
}

/** The error that a promise or a function ends with. */
async function failure(action) {
  try {
    await (typeof action === "function" ? action() : action);
  } catch (error) {
    return error;
  }
  throw new Error("an error was expected, and none came");
}

async function within(milliseconds, promise) {
  const late = sleep(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error(`more than ${milliseconds} ms`);
  });
  return Promise.race([promise, late]);
}

async function waitUntil(what, isSo) {
  for (const end = performance.now() + 20_000; !isSo(); await sleep(20)) {
    assert.ok(performance.now() < end, `not in time: ${what}`);
  }
}

/** Waits for the line that tells that the service saw what it was to see. */
async function cue() {
  const lines = createInterface({ input: process.stdin });
  await once(lines, "line");
  lines.close();
}

async function collectUntil(isDone) {
  for (let tries = 0; !isDone(); tries++) {
    assert.ok(tries < 2000, "the collector did not end it");
    globalThis.gc();
    await sleep(10);
  }
}

function residentBytes() {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
}

function descriptors() {
  return readdirSync("/proc/self/fd").length;
}

const scenarios = {
  async plain() {
    const client = new Client();
    const models = await client.models();
    assert.ok(models.info.models.includes("echo"));
    assert.ok(models.document.data.some((model) => model.id === "echo"));

    const response = await client.chat(chatOf("plain words"));
    assert.equal(response.text, "plain words");
    assert.equal(response.document.choices[0].message.content, "plain words");
    assert.deepEqual(JSON.parse(response.json), response.document);
    assert.ok(response.info.usage.total_tokens > 0);
    assert.equal(response.info.http_status, 200);
    assert.equal(response.info.attempts, 1);

    const answer = await client.responses({ model: "echo", input: "plain words" });
    assert.equal(answer.text, "plain words");
    assert.equal(client.unfinished, 0);
    await client.close();
  },

  // The one implementation, whichever way it is loaded, with the library of its own package.
  async installed() {
    const { Client: Required } = createRequire(import.meta.url)("modelwire");
    assert.equal(Required, Client);
    assert.equal((await new Required().chat(chatOf("plain words"))).text, "plain words");
    const loaded = readFileSync("/proc/self/maps", "utf8").match(/\S*libmodelwire\S*/)[0];
    assert.match(loaded, /node_modules\/@modelwire\/linux-/);
  },

  async web_stream() {
    const client = new Client();
    const read = ReadableStream.from(client.chat(streamOf("one two three four")));
    const texts = new TransformStream({
      transform: (chunk, controller) => controller.enqueue(chunk.document.choices[0]?.delta.content),
    });
    let text = "";
    for await (const part of read.pipeThrough(texts)) text += part ?? "";
    assert.equal(text, "one two three four");

    const left = ReadableStream.from(client.chat(streamOf("one two three four", "slow"))).getReader();
    assert.equal((await left.read()).done, false);
    await left.cancel();
    await waitUntil("the end of the call", () => client.unfinished === 0);
  },

  async streamed() {
    const client = new Client();
    const stream = client.chat(streamOf("one two three four"));
    let [text, deltas, chunks] = ["", "", 0];
    for await (const chunk of stream) {
      text += chunk.text;
      deltas += chunk.document.choices[0]?.delta.content ?? "";
      chunks += chunk.text === "" ? 0 : 1;
      assert.deepEqual(JSON.parse(chunk.json), chunk.document);
    }
    assert.equal(text, "one two three four");
    assert.equal(deltas, text);
    assert.ok(chunks >= 2);
    assert.equal(stream.response.info.http_status, 200);
    assert.deepEqual(await stream.next(), { value: undefined, done: true });

    const names = new Set();
    const answer = client.responses({ model: "echo", input: "one two three four", stream: true });
    let said = "";
    for await (const chunk of answer) {
      said += chunk.text;
      names.add(chunk.name);
    }
    assert.equal(said, "one two three four");
    assert.ok(names.has("response.output_text.delta"));

    // At the end of a stream that was gathered the whole answer is there.
    const gathered = client.chat(streamOf("one two three four"), { gather: true });
    assert.equal(await textOf(gathered), "one two three four");
    assert.equal(gathered.response.text, "one two three four");
    assert.equal(gathered.response.info.finish_reason, "stop");

    assert.equal((await client.chat(chatOf(ODD_TEXT))).text, ODD_TEXT);
    assert.equal(await textOf(client.chat(streamOf(ODD_TEXT))), ODD_TEXT);

    // Chunks may be asked for before they are there; each comes once, and is read in time or not.
    const eager = client.chat(streamOf("one two three"));
    const asked = await Promise.all(Array.from({ length: 40 }, () => eager.next()));
    assert.equal(asked.map(({ value }) => value?.text ?? "").join(""), "one two three");
    const early = await failure(() => asked[0].value.json);
    assert.match(early.message, /before the next one/);
    await client.close();
  },

  async missing() {
    const client = new Client();
    const stream = client.chat(streamOf("x", "no-such-model"));
    assert.equal(stream.response, null);
    const whole = () => client.chat(chatOf("x", "no-such-model"));
    for (const action of [whole, () => stream.next()]) {
      const error = await failure(action);
      assert.ok(error instanceof ModelwireError && error instanceof Error);
      assert.equal(error.kind, "not_found");
      assert.equal(error.http_status, 404);
      assert.equal(error.attempts, 1);
      assert.equal(error.model, "no-such-model");
      assert.ok(error.reason !== "" && error.hint !== "");
      for (const part of [error.kind, error.reason, error.hint]) {
        assert.ok(error.message.includes(part));
      }
      const known = JSON.parse(error.json);
      assert.ok(Object.keys(known).length >= 19);
      for (const [name, value] of Object.entries(known)) {
        assert.deepEqual(error[name === "message" ? "reason" : name], value);
      }
      assert.match(error.stack, /scenarios\.js/);
    }
    assert.deepEqual(await stream.next(), { value: undefined, done: true });
    assert.equal(stream.response, null);
  },

  async no_key() {
    const example = fileURLToPath(new URL("./example.mjs", import.meta.url));
    const usual = process.env.MODELWIRE_LIBRARY;
    const missing = /MODELWIRE_LIBRARY[^]*nowhere.so: /;
    for (const [path, said] of [["/nowhere.so", missing], [usual, /^usage: /]]) {
      const env = { ...process.env, MODELWIRE_LIBRARY: path };
      const ran = spawnSync(process.execPath, [example], { env, encoding: "utf8" });
      assert.match(ran.stderr, said);
      assert.notEqual(ran.status, 0);
    }
    delete process.env.MODELWIRE_API_KEY;
    delete process.env.OPENAI_API_KEY;
    const error = await failure(() => new Client());
    assert.equal(error.kind, "config");
    assert.match(error.message, /key/i);
  },

  async wrong_request() {
    const client = new Client();
    for (const request of [{ model: "echo" }, { model: "echo", stream: true }]) {
      const error = await failure(() => client.chat(request));
      assert.equal(error.kind, "argument");
      assert.match(error.message, /messages/);
    }
    await assert.rejects(client.responses({ model: "echo" }), /input/);

    // What is not a stream rejects, and throws nothing.
    for (const body of [undefined, null, 5]) {
      await assert.rejects(client.chat(body), { kind: "argument", message: /object/ });
    }
    for (const signal of [5, new AbortController()]) {
      const wanted = { name: "TypeError", message: /AbortSignal/ };
      await assert.rejects(client.models({ signal }), wanted);
      assert.throws(() => client.chat(streamOf("x"), { signal }), wanted);
    }
  },

  async options() {
    const client = new Client();
    const options = { total_timeout_ms: 10_000, headers: { "x-of-this-call": "yes" } };
    assert.equal((await client.chat(chatOf("plain words"), options)).text, "plain words");
    assert.equal(await textOf(client.chat(streamOf("plain words"), options)), "plain words");
    assert.equal((await client.models(null)).info.http_status, 200);

    const unknown = await failure(client.chat(chatOf("x"), { total_timeout: 1 }));
    assert.equal(unknown.kind, "argument");
    assert.match(unknown.message, /total_timeout/);
    assert.match((await failure(() => new Client({ base_uri: "x" }))).message, /base_uri/);
    const service = { url: process.env.MODELWIRE_BASE_URL, weight: 2 };
    const several = new Client({ base_urls: [service, "http://127.0.0.1:1/v1"] });
    assert.equal((await several.chat(chatOf("x"))).text, "x");

    const late = await failure(client.chat(chatOf("a b c d e f", "slow"), { total_timeout_ms: 1 }));
    assert.equal(late.kind, "timeout");
    assert.equal(late.timeout, "total_timeout");
  },

  async cut() {
    const stream = new Client().chat(streamOf("x"));
    assert.equal((await stream.next()).value.text, "half ");
    const error = await failure(stream.next());
    assert.ok(["incomplete", "disconnected"].includes(error.kind), error.kind);
    assert.equal((await stream.next()).done, true);
  },

  async cancel() {
    const client = new Client();
    const waited = client.chat(streamOf("x"));
    assert.equal((await waited.next()).value.text, "one ");
    setTimeout(() => waited.cancel(), 50);
    const error = await within(20_000, failure(waited.next()));
    assert.equal(error.kind, "cancelled");
    assert.equal(error.message, `cancelled: ${error.reason}`);

    for await (const chunk of client.chat(streamOf("x"))) {
      assert.equal(chunk.text, "one ");
      break;
    }
    console.log("left");
    await cue();
    assert.equal(client.unfinished, 0);
  },

  async slow_reader() {
    const client = new Client();
    const slow = client.chat(streamOf("x"));
    assert.equal((await slow.next()).value.text.length, 1000);
    const before = residentBytes();
    const others = Array.from({ length: 20 }, () => textOf(client.chat(streamOf("x"))));
    for (const text of await Promise.all(others)) assert.equal(text.length, 20_000);
    await sleep(500);
    const grown = residentBytes() - before;
    assert.ok(grown < 40e6, `${grown} bytes more`);
    let chunks = 1;
    for await (const chunk of slow) chunks += chunk.text.length === 1000 ? 1 : 0;
    assert.equal(chunks, 64_000);
  },

  async many() {
    const client = new Client({ connections_max: 1100 });
    for (const count of [100, 1000]) {
      const texts = Array.from({ length: count }, (_, number) =>
        textOf(client.chat(streamOf(`stream ${number}`, "slow"))),
      );
      for (const [number, text] of (await Promise.all(texts)).entries()) {
        assert.equal(text, `stream ${number}`);
      }
    }
  },

  async finalizers() {
    const client = new Client();
    await (async () => {
      const dropped = new Client();
      const streams = Array.from({ length: 50 }, (_, number) =>
        (number === 0 ? dropped : client).chat(streamOf("x")),
      );
      for (const stream of streams) assert.equal((await stream.next()).value.text, "one ");
    })();
    assert.equal(client.unfinished, 49);
    await collectUntil(() => client.unfinished === 0);
    await cue();
  },

  async clients() {
    let before;
    for (let number = 1; number <= 2000; number++) {
      const client = new Client();
      if (number % 100 === 0) {
        assert.equal((await client.chat(chatOf("plain words"))).text, "plain words");
      }
      if (number % 2 === 0) await client.close();
      if (number === 200) before = [descriptors(), residentBytes()];
    }
    const grown = [descriptors() - before[0], residentBytes() - before[1]];
    assert.ok(grown[0] < 20, `${grown[0]} descriptors more`);
    assert.ok(grown[1] < 16e6, `${grown[1]} bytes more`);
  },

  async log() {
    const records = [];
    setLog("debug", (record) => records.push(record));
    await new Client().chat(chatOf("plain words"));
    await waitUntil("a record", () => records.length > 0);
    await sleep(200); // for more of them
    setLog("off", () => {});
    for (const { level, message, target } of records) {
      assert.ok(level !== "" && message !== "" && target !== "");
    }
    assert.ok(!JSON.stringify(records).includes("sk-test"));
    setLog("Warning", () => {});
    setLog("off");
    assert.throws(() => setLog("loud", () => {}), /loud.* off, error, warn, info, debug, trace/);
    assert.throws(() => setLog(), /undefined.* off, error/);
    assert.throws(() => setLog("debug"), /callback/);
  },

  async close() {
    const client = new Client();
    const stream = client.chat(streamOf("x"));
    assert.equal((await stream.next()).value.text, "one ");
    const end = failure(stream.next());
    await sleep(50);
    await within(20_000, client.close());
    assert.equal((await within(20_000, end)).kind, "closed");
    assert.equal(client.unfinished, 0);
    assert.equal((await failure(client.chat(chatOf("x")))).kind, "closed");
    await client.close();
  },

  // A stream that nobody reads on is paused, and ended by close all the same. Script: slow_reader.
  async close_paused() {
    const client = new Client();
    const stream = client.chat(streamOf("x"));
    await stream.next();
    await sleep(300);
    assert.equal(client.unfinished, 1);
    await within(20_000, client.close());
    assert.equal(client.unfinished, 0);
    assert.equal((await failure(textOf(stream))).kind, "closed");
  },

  async interrupt() {
    const client = new Client();
    const signalled = once(process, "SIGUSR2");
    const call = failure(client.chat(chatOf("x"), { signal: AbortSignal.timeout(1000) }));
    setTimeout(() => process.kill(process.pid, "SIGUSR2"), 100);
    await within(20_000, signalled);
    const error = await within(20_000, call);
    assert.equal(error.kind, "cancelled");
    assert.equal(error.name, "AbortError");
    assert.equal(error.cause.name, "TimeoutError");
    assert.equal(client.unfinished, 0);

    const controller = new AbortController();
    const stream = client.chat(streamOf("x"), { signal: controller.signal });
    const end = failure(stream.next());
    controller.abort(new Error("no more"));
    assert.equal((await within(20_000, end)).cause.message, "no more");
    const never = await failure(client.models({ signal: controller.signal }));
    assert.equal(never.message, "no more");
  },

  // Two threads with a client each; one ends in the middle of its streams.
  async workers() {
    const before = descriptors();
    for (let round = 0; round < 5; round++) {
      const workers = ["whole", "left"].map((part) =>
        new Worker(new URL("./worker.js", import.meta.url), { workerData: part }),
      );
      const ends = workers.map((worker) => once(worker, "exit"));
      const said = await Promise.all(workers.map((worker) => once(worker, "message")));
      assert.deepEqual(said.flat(), ["worker whole", "worker left"]);
      await Promise.all(ends);
    }
    assert.equal((await new Client().chat(chatOf("plain words"))).text, "plain words");
    const grown = descriptors() - before;
    assert.ok(grown < 10, `${grown} descriptors more`);

    // Terminated in the middle of its streams a thread takes nothing else with it.
    const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: "endless" });
    await sleep(500);
    await worker.terminate();
    assert.equal((await new Client().chat(chatOf("plain words"))).text, "plain words");
  },
};

const [name] = process.argv.slice(2);
if (!Object.hasOwn(scenarios, name)) throw new Error(`no scenario ${name}`);
await scenarios[name]();
