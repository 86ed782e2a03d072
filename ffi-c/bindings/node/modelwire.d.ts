/// <reference lib="esnext.disposable" />
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelList } from "./chat.js";
import type { ClientOptions, RequestOptions } from "./options.js";
import type { ResponseEvent, ResponseObject, ResponsesRequest } from "./responses.js";
export * from "./chat.js";
export * from "./options.js";
export * from "./responses.js";

/**
 * The signal cancels the call: the error then is of kind "cancelled", with the reason as cause. If
 * it was aborted before the call, nothing is sent, and the error is the reason itself.
 */
export interface CallOptions extends RequestOptions {
  signal?: AbortSignal | null;
}

/**
 * A call that is wrong from the start fails as any other does: its promise is rejected. Only where
 * a stream is asked for the error is thrown at once.
 *
 * `stream: true` gives a Stream. Where its type is boolean, as in `const body = { stream: true }`,
 * TypeScript cannot know what comes: there write `stream: true as const`.
 */
export class Client {
  /** Base URL and key come from the environment where they are not among the options. */
  constructor(options?: ClientOptions);
  models(options?: CallOptions | null): Promise<Response<ModelList>>;
  chat(body: ChatRequest & { stream: true }, options?: CallOptions | null): ChatStream;
  chat(
    body: ChatRequest & { stream?: false | null },
    options?: CallOptions | null,
  ): Promise<Response<ChatCompletion>>;
  chat(
    body: ChatRequest,
    options?: CallOptions | null,
  ): ChatStream | Promise<Response<ChatCompletion>>;
  responses(
    body: ResponsesRequest & { stream: true },
    options?: CallOptions | null,
  ): ResponseStream;
  responses(
    body: ResponsesRequest & { stream?: false | null },
    options?: CallOptions | null,
  ): Promise<Response<ResponseObject>>;
  responses(
    body: ResponsesRequest,
    options?: CallOptions | null,
  ): ResponseStream | Promise<Response<ResponseObject>>;
  /** How many calls are in flight. */
  readonly unfinished: number;
  /** Ends the calls in flight with errors of kind "closed", which later calls get as well. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Leaving it ends the exchange: by break, return, an error, or when nobody has it any more. An
 * error comes once: after it, as after the last chunk, next() gives an end.
 */
export interface Stream<Event = any, Document = any> extends AsyncIterableIterator<Chunk<Event>> {
  /** Null before the end, and after an error. */
  readonly response: Response<Document | null> | null;
  /** Ends it with an error of kind "cancelled". */
  cancel(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export type ChatStream = Stream<ChatCompletionChunk, ChatCompletion>;
export type ResponseStream = Stream<ResponseEvent, ResponseObject>;

export interface Response<Document = any> {
  /** The output text; "" at the end of a stream without the option gather, as its json is. */
  readonly text: string;
  /** As the service sent it. */
  readonly json: string;
  /** The JSON parsed, at each look; null at the end of a stream without the option gather. */
  readonly document: Document;
  /** What the library knows of the answer, in one form for all services; read at each look. */
  readonly info: Info;
}

/** What is read after the next chunk was asked for was read before, or kept; the text always is. */
export interface Chunk<Event = any> {
  /** The text that it adds; "" where it adds none. */
  readonly text: string;
  readonly json: string;
  readonly document: Event;
  readonly info: ChunkInfo;
  /** Of the server-sent event, "response.output_text.delta" for instance. */
  readonly name: string;
  /** Reads everything, to be looked at later. */
  keep(): this;
}

export interface ChunkInfo {
  reasoning: string;
  finish_reason: string | null;
  usage: Usage | null;
  tool_calls: { index: number; id: string | null; name: string | null; arguments: string }[];
}

/** What the service does not report is 0. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  audio_input_tokens: number;
  audio_output_tokens: number;
}

/** What is not known is null. */
export interface Info {
  http_status: number;
  request_id: string | null;
  id: string | null;
  model: string | null;
  attempts: number;
  elapsed_ms: number;
  end: "document" | "done_mark" | "final_event" | "finish_reasons";
  is_gathered: boolean;
  reasoning: string;
  finish_reason: string | null;
  usage: Usage | null;
  tool_calls: { id: string; name: string; arguments: string }[] | null;
  models: string[] | null;
  headers: { name: string; value: string }[];
  /** What the headers say of limits, as the library's header describes it. */
  rate_limits: RateLimits | null;
  /** The record of the call, likewise. */
  timing: Record<string, any>;
}

export interface RateLimits {
  requests: { limit: number | null; remaining: number | null; reset_ms: number | null } | null;
  tokens: { limit: number | null; remaining: number | null; reset_ms: number | null } | null;
  others: Record<string, object>;
  retry_after_ms: number | null;
}

/** Its message shows kind, reason and hint. What is not known is null. */
export class ModelwireError extends Error {
  readonly kind: string;
  /** What went wrong, in the service's words where it gave some. */
  readonly reason: string;
  /** What may help; "" where nothing is known to. */
  readonly hint: string;
  /** Where the documentation explains errors of this kind. */
  readonly doc_url: string | null;
  readonly http_status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  readonly request_id: string | null;
  readonly path: string | null;
  readonly model: string | null;
  readonly timeout: string | null;
  readonly metered: "not_sent" | "normally_not" | "entered" | "unknown";
  readonly body: string | null;
  readonly partial: string | null;
  readonly headers: { name: string; value: string }[] | null;
  readonly request_time_unix_ms: number | null;
  readonly attempts: number | null;
  readonly elapsed_ms: number | null;
  readonly retry_after_ms: number | null;
  /** What the headers say of limits, as the library's header describes it. */
  readonly rate_limits: RateLimits | null;
  /** The record of the call, likewise. */
  readonly timing: Record<string, any> | null;
  /** All of this as the library says it. */
  readonly json: string;
}

export type Level = "off" | "error" | "warn" | "info" | "debug" | "trace";
export type LogRecord = { level: Level; target: string; message: string; unix_ms: number };
/** Hands the log to a callback; NODE_DEBUG=modelwire in the environment shows it without one. */
export function setLog(level: Level, callback: (record: LogRecord) => void): void;
export function setLog(level: "off"): void;
