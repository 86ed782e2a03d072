/**
 * modelwire for Node.js: model lists, chats and responses of OpenAI-compatible services, over
 * libmodelwire. modelwire.d.ts says what everything does; modelwire.mjs is this for ES modules.
 *
 * All clients of a thread share one completion queue, whose descriptor the thread's event loop
 * watches: no other thread runs JavaScript or waits. Worker threads have a queue of their own.
 */
"use strict";

const { setMaxListeners } = require("node:events");
const { Socket } = require("node:net");
const { debuglog } = require("node:util");
const { isMainThread } = require("node:worker_threads");
const raw = require("./raw.js");
const { ModelwireError } = raw;

const EVENTS_MAX = 64; // taken at a time
const WAITING_MAX = 128; // when so many events of a stream wait here, it is paused
const WAITING_FEW = 32; // and when so few are left, it is resumed
const LEVELS = ["off", "error", "warn", "info", "debug", "trace"];

const [events, taken] = [new BigUint64Array(EVENTS_MAX), new BigUint64Array(1)];
const calls = new Map(); // those without a last event yet, by their tags
const clients = new Set();
let queue = raw.modelwire_queue_new(raw.MODELWIRE_SOCKET);
let lastTag = 0;
let log = () => {};

// The descriptor belongs to the queue, and a socket closes its own: it has a duplicate.
const fd = raw.duplicate(raw.modelwire_queue_fd(queue));
const socket = new Socket({ fd, onread: { buffer: Buffer.alloc(64), callback: takeEvents } });
let waiting = 0;
countWaiting(0);

/** The process goes on for those who wait for an event, not for calls that nobody reads. */
function countWaiting(change) {
  waiting += change;
  if (waiting > 0) socket.ref();
  else socket.unref();
}

/** Hands events to their calls. If there are more, others have their turn before. */
function takeEvents() {
  if (raw.modelwire_queue_take(queue, 0, events, EVENTS_MAX, taken) !== raw.MODELWIRE_OK) return;
  setImmediate(takeEvents);
  for (const event of events.subarray(0, Number(taken[0]))) {
    const kind = raw.modelwire_event_kind(event);
    const isLast = kind === raw.MODELWIRE_EVENT_RESPONSE || kind === raw.MODELWIRE_EVENT_ERROR;
    if (isLast || kind === raw.MODELWIRE_EVENT_CHUNK) {
      calls.get(raw.modelwire_event_tag(event)).add(event, isLast);
    } else {
      if (kind === raw.MODELWIRE_EVENT_LOG) log(JSON.parse(raw.modelwire_event_json(event)));
      raw.modelwire_event_free(event);
    }
  }
}

function setLog(level, callback) {
  const name = String(level).toLowerCase().replace(/^warning$/, "warn");
  if (!LEVELS.includes(name)) {
    throw new TypeError(`there is no log level ${level}: there are ${LEVELS.join(", ")}`);
  }
  if (name !== "off" && typeof callback !== "function") {
    throw new TypeError("setLog needs a callback for the records");
  }
  raw.modelwire_queue_log(queue, raw[`MODELWIRE_LOG_${name.toUpperCase()}`], 0);
  log = (record) => queueMicrotask(() => callback?.(record));
}

const debug = debuglog("modelwire");
if (debug.enabled) setLog("debug", ({ level, message }) => debug("%s: %s", level, message));

/** A call and what came of it. It knows no stream, so that a stream that nobody has is found. */
class Call {
  #tag;
  #siblings; // the calls of the same client
  #events = []; // what came and was not read yet
  #readers = []; // who waits for what comes
  #chunk; // the one that was read last
  #waitingMax = WAITING_MAX;
  #isPaused = false;
  #isOver = false; // nothing comes any more, or nobody wants it
  #cause; // of its being cancelled

  constructor(tag, siblings, signal) {
    this.#tag = tag;
    this.#siblings = siblings.add(this);
    this.ended = new Promise((resolve) => (this.tellEnd = resolve));
    calls.set(tag, this);
    if (!signal) return;
    const abort = () => this.cancel({ cause: signal.reason });
    setMaxListeners(0, signal); // for any number of calls
    signal.addEventListener("abort", abort);
    this.ended.then(() => signal.removeEventListener("abort", abort));
  }

  add(event, isLast) {
    if (this.#readers.length > 0) this.#readers.shift()(event);
    else if (this.#isOver) raw.modelwire_event_free(event);
    else if (this.#events.push(event) >= this.#waitingMax && !this.#isPaused) this.#pause(true);
    if (!isLast) return;
    this.#siblings.delete(this);
    calls.delete(this.#tag);
    this.#endReaders();
    this.tellEnd();
  }

  #endReaders() {
    this.#isOver = true;
    for (const reader of this.#readers.splice(0)) reader(null);
  }

  #pause(isPaused) {
    this.#isPaused = isPaused;
    if (isPaused) raw.modelwire_queue_pause(queue, this.#tag);
    else raw.modelwire_queue_resume(queue, this.#tag);
  }

  /** The next event, or a promise of it; null after the last one. */
  read() {
    this.#chunk?.free();
    if (this.#events.length === 0) return this.#isOver ? null : this.#wait();
    if (this.#isPaused && this.#events.length <= WAITING_FEW) this.#pause(false);
    return this.#events.shift();
  }

  async #wait() {
    countWaiting(1);
    const event = await new Promise((resolve) => this.#readers.push(resolve));
    countWaiting(-1);
    return event;
  }

  /** What an iterator gives for an event, or for none. */
  result(event) {
    if (event === null) return { value: undefined, done: true };
    const kind = raw.modelwire_event_kind(event);
    const value = new raw.ModelwireEvent(event);
    this.#chunk?.free(); // where several were asked for at once
    this.#chunk = kind === raw.MODELWIRE_EVENT_CHUNK ? value : null;
    if (this.#chunk) return { value, done: false };
    value.keep();
    if (kind === raw.MODELWIRE_EVENT_RESPONSE) return { value, done: true };
    throw new ModelwireError(value.json, this.#cause);
  }

  cancel(cause) {
    this.#cause = cause;
    raw.modelwire_queue_cancel(queue, this.#tag);
  }

  /** Ends it for those who want nothing more of it. */
  leave() {
    this.cancel();
    this.#endReaders();
    this.#chunk?.free();
    for (const event of this.#events.splice(0)) raw.modelwire_event_free(event);
  }

  /** Lets everything come, up to the last event. */
  finish() {
    this.#waitingMax = Infinity;
    this.#pause(false);
    return this.ended;
  }
}

const abandonedStreams = new FinalizationRegistry((call) => call.leave());

class Stream {
  response = null;
  #call;

  constructor(call) {
    this.#call = call;
    abandonedStreams.register(this, call);
  }

  async next() {
    const result = this.#call.result(await this.#call.read());
    if (result.done) this.response ??= result.value ?? null;
    return result;
  }

  async return(value) {
    this.#call.leave();
    return { value, done: true };
  }

  cancel() { this.#call.cancel(); }
  [Symbol.asyncIterator]() { return this; }
  [Symbol.asyncDispose]() { return this.return(); }
}

const abandonedClients = new FinalizationRegistry((client) => {
  clients.delete(client);
  raw.modelwire_client_free(client);
});

class Client {
  #client;
  #calls = new Set(); // those in flight

  constructor(options = {}) {
    this.#client = raw.modelwire_client_new(JSON.stringify(options));
    clients.add(this.#client);
    abandonedClients.register(this, this.#client);
  }

  get unfinished() { return this.#calls.size; }
  models(options) { return this.#whole(raw.MODELWIRE_OPERATION_MODELS, undefined, options); }
  chat(body, options) { return this.#run(raw.MODELWIRE_OPERATION_CHAT, body, options); }
  responses(body, options) { return this.#run(raw.MODELWIRE_OPERATION_RESPONSES, body, options); }
  [Symbol.asyncDispose]() { return this.close(); }

  async close() {
    raw.modelwire_client_close(this.#client, 0);
    countWaiting(1);
    await Promise.all(Array.from(this.#calls, (call) => call.finish()));
    countWaiting(-1);
  }

  #run(operation, body = null, options) {
    if (!body?.stream) return this.#whole(operation, body, options);
    return new Stream(this.#submit(operation, body, options));
  }

  async #whole(operation, body, options) {
    const call = this.#submit(operation, body, options);
    return call.result(await call.read()).value;
  }

  #submit(operation, body, allOptions) {
    const { signal, ...options } = allOptions ?? {};
    if (signal && !signal.throwIfAborted) throw new TypeError("signal must be an AbortSignal");
    signal?.throwIfAborted();
    const request = raw.modelwire_request_new(operation, JSON.stringify(body));
    const tag = ++lastTag;
    try {
      raw.modelwire_request_set_options(request, JSON.stringify(options));
      raw.modelwire_queue_submit_request(queue, this.#client, request, body?.stream ? 1 : 0, tag);
    } finally {
      raw.modelwire_request_free(request);
    }
    return new Call(tag, this.#calls, signal);
  }
}

/** A worker leaves nothing behind, unless it is terminated; with the main thread all ends. */
function freeAll() {
  for (const call of calls.values()) call.leave();
  for (const client of clients) raw.modelwire_client_free(client);
  socket.destroy();
  raw.modelwire_queue_free(queue);
  queue = null;
}

if (!isMainThread) process.once("exit", freeAll);

module.exports = { Client, ModelwireError, setLog };
