/** Options of a client or of a call, by their names in docs/options.md: base_url, headers ... */
export type Options = Record<string, any>;
/**
 * The signal cancels the call: the error then is of kind "cancelled", with the reason as cause. If
 * it was aborted before the call, nothing is sent, and the error is the reason itself.
 */
export type CallOptions = Options & { signal?: AbortSignal | null };
/** The body of a request, as the service takes it. */
export type Body = Record<string, any> & { model: string };

/**
 * A call that is wrong from the start fails as any other does: its promise is rejected. Only where
 * a stream is asked for the error is thrown at once.
 *
 * `stream: true` gives a Stream. Where its type is boolean, as in `const body = { stream: true }`,
 * TypeScript cannot know what comes: there write `stream: true as const`.
 */
export class Client {
  /** Base URL and key come from the environment where they are not among the options. */
  constructor(options?: Options);
  models(options?: CallOptions | null): Promise<Response>;
  chat(body: Body & { stream: true }, options?: CallOptions | null): Stream;
  chat(body: Body & { stream?: false | null }, options?: CallOptions | null): Promise<Response>;
  chat(
    body: Body & { stream?: boolean | null },
    options?: CallOptions | null,
  ): Stream | Promise<Response>;
  responses(body: Body & { stream: true }, options?: CallOptions | null): Stream;
  responses(
    body: Body & { stream?: false | null },
    options?: CallOptions | null,
  ): Promise<Response>;
  responses(
    body: Body & { stream?: boolean | null },
    options?: CallOptions | null,
  ): Stream | Promise<Response>;
  /** How many calls are under way. */
  readonly unfinished: number;
  /** Ends what is under way with errors of kind "closed", which later calls get as well. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Leaving it ends the exchange: by break, return, an error, or when nobody has it any more. An
 * error comes once: after it, as after the last chunk, next() gives an end.
 */
export interface Stream extends AsyncIterableIterator<Chunk> {
  /** Null before the end, and after an error. */
  readonly response: Response | null;
  /** Ends it with an error of kind "cancelled". */
  cancel(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Response {
  /** The output text; "" at the end of a stream without the option gather, as its json is. */
  readonly text: string;
  /** As the service sent it. */
  readonly json: string;
  /** The JSON parsed, at each look; null where there is none. */
  readonly document: any;
  /** http_status, request_id, attempts, elapsed_ms, finish_reason, usage, tool_calls, models ... */
  readonly info: any;
}

/** What is read after the next chunk was asked for was read before, or kept; the text always is. */
export interface Chunk extends Response {
  /** Of the server-sent event, "response.output_text.delta" for instance. */
  readonly name: string;
  /** Reads everything, to be looked at later. */
  keep(): this;
}

/** Its message shows kind, reason and hint. What is not known is null. */
export class ModelwireError extends Error {
  readonly kind: string;
  /** What went wrong, in the service's words where it gave some. */
  readonly reason: string;
  /** What may help; "" where nothing is known to. */
  readonly hint: string;
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
  readonly rate_limits: object | null;
  /** The record of the call, likewise. */
  readonly timing: object | null;
  /** All of this as the library says it. */
  readonly json: string;
}

export type Level = "off" | "error" | "warn" | "info" | "debug" | "trace";
export type LogRecord = { level: Level; target: string; message: string; unix_ms: number };
/** Hands the log to a callback; NODE_DEBUG=modelwire in the environment shows it without one. */
export function setLog(level: Level, callback: (record: LogRecord) => void): void;
export function setLog(level: "off"): void;
