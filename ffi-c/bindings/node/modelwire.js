/**
 * modelwire for Node.js: model lists, chats and responses of OpenAI-compatible services.
 *
 * Needs Node.js 20.4, the package koffi (`npm install koffi`) and libmodelwire.so.0.1, where the
 * loader finds it or MODELWIRE_LIBRARY says. Copy modelwire.js, modelwire.d.ts, which says what
 * everything does, raw.js and package.json. An example: `node example.js a-model "Say hello."`
 *
 * All clients of a thread share one completion queue, whose descriptor the thread's event loop
 * watches: no other thread runs JavaScript or waits. Worker threads have a queue of their own.
 */

import { debuglog } from "node:util";
import { isMainThread } from "node:worker_threads";
import koffi from "koffi";
import * as raw from "./raw.js";

export { ModelwireError } from "./raw.js";

/** How many events are taken at a time, and how many times in one turn of the loop. */
const EVENTS_MAX = 64;
const TAKES_MAX = 2;
/** A stream is paused when so many of its events wait here, and resumed when so few are left. */
const WAITING_MAX = 128;
const WAITING_FEW = 32;

let queue = raw.modelwire_queue_new(0);
const events = new BigUint64Array(EVENTS_MAX);
const taken = new BigUint64Array(1);
const calls = new Map(); // those that gave no last event yet, by their tags
let lastTag = 0;
let log = () => {};

// koffi loses what is thrown in its callback, so what is to be done is done by the loop's next one.
const poll = koffi.node.poll(raw.modelwire_queue_fd(queue), () => setImmediate(takeEvents));
let waiting = 0;
poll.unref();

/** While somebody waits, and only then, the process goes on for it. */
function hold() {
  if (waiting++ === 0) poll.ref();
}

function release() {
  if (--waiting === 0) poll.unref();
}

/** Hands events to their calls. While there are more, the descriptor stays readable. */
function takeEvents() {
  for (let takes = 0; takes < TAKES_MAX; takes++) {
    const status = raw.modelwire_queue_take(queue, 0, events, EVENTS_MAX, taken);
    if (status !== raw.MODELWIRE_OK) return;
    for (let index = 0; index < taken[0]; index++) {
      const event = events[index];
      const kind = raw.modelwire_event_kind(event);
      const isLast = kind === raw.MODELWIRE_EVENT_RESPONSE || kind === raw.MODELWIRE_EVENT_ERROR;
      if (isLast || kind === raw.MODELWIRE_EVENT_CHUNK) {
        calls.get(raw.modelwire_event_tag(event)).add(event, isLast);
      } else {
        if (kind === raw.MODELWIRE_EVENT_LOG) log(raw.modelwire_event_json(event));
        raw.modelwire_event_free(event);
      }
    }
  }
}

/** The log of the library, to a callback on this thread. */
export function setLog(level, callback) {
  raw.modelwire_queue_log(queue, raw[`MODELWIRE_LOG_${level.toUpperCase()}`] ?? -1, 0);
  log = (json) => queueMicrotask(() => callback(JSON.parse(json)));
}

const debug = debuglog("modelwire");
if (debug.enabled) setLog("debug", ({ level, message }) => debug("%s: %s", level, message));

// The main thread takes everything with it; a worker leaves nothing to the other threads.
if (!isMainThread) {
  process.once("exit", () => {
    for (const call of calls.values()) call.leave();
    poll.close();
    raw.modelwire_queue_free(queue);
    queue = null;
  });
}

/** A piece of a stream: its text, and what is asked for before the next chunk is. */
class Chunk {
  #event; #json; #name;

  constructor(event) {
    this.#event = event;
    this.text = raw.modelwire_event_text(event);
  }

  get json() { return (this.#json ??= raw.modelwire_event_json(this.#held())); }
  get name() { return (this.#name ??= raw.modelwire_event_name(this.#held())); }
  get document() { return JSON.parse(this.json); }

  #held() {
    if (this.#event) return this.#event;
    throw new Error("a chunk is read before the next one is asked for");
  }

  free() {
    if (this.#event) raw.modelwire_event_free(this.#event);
    this.#event = null;
  }
}

/** A whole answer, or what is known at the end of a stream. */
class Response {
  #info;

  constructor(event) {
    this.text = raw.modelwire_event_text(event);
    this.json = raw.modelwire_event_json(event);
    this.#info = raw.modelwire_value_json(raw.modelwire_event_info(event), "");
  }

  get document() { return this.json === "" ? null : JSON.parse(this.json); }
  get info() { return JSON.parse(this.#info); }
}

/** A call and what came of it. It knows no stream, so that a stream that nobody has is found. */
class Call {
  tag = ++lastTag;
  current = null; // the chunk that was read last
  waitingMax = WAITING_MAX;
  atEnd = []; // what is called when the last event has come
  #events = []; // what came and was not read yet, oldest first
  #readers = []; // those who wait for an event
  #isPaused = false;
  #isOver = false; // the last event has come
  #isLeft = false; // nobody wants what still comes

  add(event, isLast) {
    if (this.#readers.length > 0) this.#readers.shift()(event);
    else if (this.#isLeft) raw.modelwire_event_free(event);
    else this.#events.push(event);
    if (isLast) {
      this.#isOver = true;
      for (const tell of this.atEnd) tell();
      for (const reader of this.#readers.splice(0)) reader(null);
    } else if (this.#events.length >= this.waitingMax && !this.#isPaused) {
      this.#isPaused = true;
      raw.modelwire_queue_pause(queue, this.tag);
    }
  }

  /** The next event, or a promise of it; null after the last one. */
  read() {
    this.current?.free();
    if (this.#events.length === 0) return this.#isOver || this.#isLeft ? null : this.#wait();
    if (this.#isPaused && this.#events.length <= WAITING_FEW) this.resume();
    return this.#events.shift();
  }

  async #wait() {
    hold();
    const event = await new Promise((resolve) => this.#readers.push(resolve));
    release();
    return event;
  }

  resume() {
    this.#isPaused = false;
    raw.modelwire_queue_resume(queue, this.tag);
  }

  /** What the last event tells: a response, or an error. */
  finish(event) {
    try {
      const isError = raw.modelwire_event_kind(event) === raw.MODELWIRE_EVENT_ERROR;
      if (isError) throw new raw.ModelwireError(raw.modelwire_event_json(event), this.abort);
      return new Response(event);
    } finally {
      raw.modelwire_event_free(event);
    }
  }

  /** Lets a signal cancel it. */
  follow(signal) {
    const abort = () => {
      this.abort = { cause: signal.reason };
      this.cancel();
    };
    signal.addEventListener("abort", abort, { once: true });
    this.atEnd.push(() => signal.removeEventListener("abort", abort));
  }

  cancel() {
    if (!this.#isOver) raw.modelwire_queue_cancel(queue, this.tag);
  }

  /** Ends it for those who want nothing more of it. */
  leave() {
    this.cancel();
    this.#isLeft = true;
    this.current?.free();
    for (const event of this.#events.splice(0)) raw.modelwire_event_free(event);
    for (const reader of this.#readers.splice(0)) reader(null);
  }
}

const abandonedStreams = new FinalizationRegistry((call) => call.leave());
const abandonedClients = new FinalizationRegistry((client) => raw.modelwire_client_free(client));

class Stream {
  response = null;
  #call;

  constructor(call) {
    this.#call = call;
    abandonedStreams.register(this, call);
  }

  async next() {
    const event = await this.#call.read();
    if (event === null) return { value: undefined, done: true };
    if (raw.modelwire_event_kind(event) === raw.MODELWIRE_EVENT_CHUNK) {
      this.#call.current?.free(); // where several were asked for at once
      return { value: (this.#call.current = new Chunk(event)), done: false };
    }
    this.response = this.#call.finish(event);
    return { value: this.response, done: true };
  }

  async return(value) {
    this.#call.leave();
    return { value, done: true };
  }

  cancel() { this.#call.cancel(); }
  [Symbol.asyncIterator]() { return this; }
  [Symbol.asyncDispose]() { return this.return(); }
}

export class Client {
  #client;
  #calls = new Set(); // those that gave no last event yet

  constructor(options = {}) {
    this.#client = raw.modelwire_client_new(JSON.stringify(options));
    abandonedClients.register(this, this.#client);
  }

  models(options) { return this.#run(raw.MODELWIRE_OPERATION_MODELS, null, options); }
  chat(request, options) { return this.#run(raw.MODELWIRE_OPERATION_CHAT, request, options); }
  responses(request, options) {
    return this.#run(raw.MODELWIRE_OPERATION_RESPONSES, request, options);
  }

  get unfinished() { return this.#calls.size; }

  async close() {
    raw.modelwire_client_close(this.#client, 0);
    hold();
    for (const call of this.#calls) {
      call.waitingMax = Infinity; // the last event comes behind all the others
      call.resume();
    }
    while (this.#calls.size > 0) {
      const [call] = this.#calls;
      await new Promise((resolve) => call.atEnd.push(resolve));
    }
    release();
  }

  [Symbol.asyncDispose]() { return this.close(); }

  #run(operation, body, options) {
    if (body?.stream) return new Stream(this.#submit(operation, body, options));
    return this.#whole(operation, body, options);
  }

  async #whole(operation, body, options) {
    const call = this.#submit(operation, body, options);
    return call.finish(await call.read());
  }

  #submit(operation, body, { signal, ...options } = {}) {
    if (signal?.aborted) {
      const known = { kind: "cancelled", message: "the signal was aborted", metered: "not_sent" };
      throw new raw.ModelwireError(JSON.stringify(known), { cause: signal.reason });
    }
    const call = new Call();
    const request = raw.modelwire_request_new(operation, body && JSON.stringify(body));
    try {
      raw.modelwire_request_set_options(request, JSON.stringify(options));
      const stream = body?.stream ? 1 : 0;
      raw.modelwire_queue_submit_request(queue, this.#client, request, stream, call.tag);
    } finally {
      raw.modelwire_request_free(request);
    }
    calls.set(call.tag, call);
    this.#calls.add(call);
    call.atEnd.push(() => calls.delete(call.tag), () => this.#calls.delete(call));
    if (signal) call.follow(signal);
    return call;
  }
}
