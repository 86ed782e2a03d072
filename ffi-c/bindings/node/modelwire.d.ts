/** Options of a client or a call by their names in docs/options.md: base_url, total_timeout_ms ... */
export type Options = Record<string, unknown>;

/** Options of a call; the signal cancels it: its error has kind "cancelled" and the reason as cause. */
export type CallOptions = Options & { signal?: AbortSignal };

/** The body of a request, as the service takes it. */
export type Request = Record<string, unknown> & { model: string };

export class Client {
  /** Base URL and key come from the environment where they are not given. */
  constructor(options?: Options);
  models(options?: CallOptions): Promise<Response>;
  chat(request: Request & { stream: true }, options?: CallOptions): Stream;
  chat(request: Request & { stream?: false }, options?: CallOptions): Promise<Response>;
  responses(request: Request & { stream: true }, options?: CallOptions): Stream;
  responses(request: Request & { stream?: false }, options?: CallOptions): Promise<Response>;
  /** How many calls are under way. */
  readonly unfinished: number;
  /** Ends them with errors of kind "closed", as every later one, and returns when they have ended. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Ends its exchange when it is left: by break, return, an error, or when nobody has it any more. */
export interface Stream extends AsyncIterableIterator<Chunk> {
  /** What is known at the end; null before. */
  readonly response: Response | null;
  /** Ends it with an error of kind "cancelled" behind what has come already. */
  cancel(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Chunk {
  /** The piece of output text that it adds, or "". */
  readonly text: string;
  /** As the service sent it. This, name and document are read before the next chunk is asked for. */
  readonly json: string;
  /** Of a response's event, "response.output_text.delta" for instance; else "". */
  readonly name: string;
  /** The JSON parsed, at each look. */
  readonly document: any;
}

export interface Response {
  readonly text: string;
  /** As the service sent it; "" at the end of a stream without the option gather. */
  readonly json: string;
  readonly document: any;
  /** http_status, request_id, attempts, elapsed_ms, finish_reason, usage, tool_calls, models ... */
  readonly info: any;
}

/** Its message shows kind, reason and hint. */
export class ModelwireError extends Error {
  readonly kind: string;
  /** What went wrong, in the service's own words where it gave some. */
  readonly reason: string;
  readonly hint: string | null;
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
  /** All of it, as the library says it. */
  readonly json: string;
}

/** Hands the library's log to a callback: "error", "warn", "info", "debug", "trace" or "off". */
export function setLog(level: string, callback: (record: LogRecord) => void): void;

export interface LogRecord {
  level: string;
  target: string;
  message: string;
  unix_ms: number;
}
