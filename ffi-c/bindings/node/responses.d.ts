/** Responses: the request and the answers, by the names of the service's JSON. */

import type { Schema } from "./chat.js";

export interface ResponsesRequest {
  model: string;
  input: string | InputItem[];
  instructions?: string | null;
  tools?: ResponseTool[];
  tool_choice?: "none" | "auto" | "required" | { type: string; [field: string]: unknown };
  parallel_tool_calls?: boolean | null;
  text?: { format?: TextFormat; [field: string]: unknown };
  reasoning?: { effort?: string | null; summary?: string | null } | null;
  temperature?: number | null;
  top_p?: number | null;
  max_output_tokens?: number | null;
  previous_response_id?: string | null;
  store?: boolean | null;
  include?: string[] | null;
  truncation?: "auto" | "disabled" | null;
  metadata?: Record<string, string> | null;
  user?: string;
  stream?: boolean | null;
  /** Whatever else the service takes. */
  [field: string]: unknown;
}

export type InputItem =
  | {
      type?: "message";
      role: "user" | "assistant" | "system" | "developer";
      content: string | InputPart[];
    }
  | { type: "function_call"; call_id: string; name: string; arguments: string; id?: string }
  | { type: "function_call_output"; call_id: string; output: string; id?: string }
  | OutputItem;

export type InputPart =
  | { type: "input_text"; text: string }
  | {
      type: "input_image";
      image_url?: string | null;
      file_id?: string | null;
      detail?: "auto" | "low" | "high";
    }
  | { type: "input_file"; file_data?: string; file_id?: string; filename?: string }
  | OutputPart;

/** A function; the service may have tools of its own. */
export type ResponseTool =
  | {
      type: "function";
      name: string;
      description?: string | null;
      parameters: Schema | null;
      strict?: boolean | null;
    }
  | { type: string & {}; [field: string]: unknown };

export type TextFormat =
  | { type: "text" | "json_object" }
  | {
      type: "json_schema";
      name: string;
      schema: Schema;
      description?: string;
      strict?: boolean | null;
    };

export type OutputPart =
  | { type: "output_text"; text: string; annotations?: unknown[] }
  | { type: "refusal"; refusal: string };

export type OutputItem =
  | { type: "message"; id: string; role: "assistant"; status?: string; content: OutputPart[] }
  | {
      type: "function_call";
      id?: string;
      call_id: string;
      name: string;
      arguments: string;
      status?: string;
    }
  | {
      type: "reasoning";
      id: string;
      summary: { type: "summary_text"; text: string }[];
      content?: { type: "reasoning_text"; text: string }[];
      encrypted_content?: string | null;
    };

export interface ResponseObject {
  id: string;
  object: "response";
  created_at: number;
  model: string;
  status?: "completed" | "failed" | "in_progress" | "incomplete" | "cancelled" | "queued";
  output: OutputItem[];
  error: { code: string; message: string } | null;
  incomplete_details: { reason?: string } | null;
  usage?: {
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
    input_tokens_details?: { cached_tokens?: number };
    output_tokens_details?: { reasoning_tokens?: number };
  } | null;
  previous_response_id?: string | null;
  metadata?: Record<string, string> | null;
}

/** An event of a stream, by its `type`: those that most programs read. Services send others, too. */
export type ResponseEvent =
  | { type: "response.created" | "response.in_progress"; response: ResponseObject }
  | { type: "response.completed" | "response.incomplete"; response: ResponseObject }
  | { type: "response.failed"; response: ResponseObject }
  | {
      type: "response.output_item.added" | "response.output_item.done";
      output_index: number;
      item: OutputItem;
    }
  | {
      type: "response.output_text.delta";
      item_id: string;
      output_index: number;
      content_index: number;
      delta: string;
    }
  | {
      type: "response.function_call_arguments.delta";
      item_id: string;
      output_index: number;
      delta: string;
    }
  | {
      type: "response.function_call_arguments.done";
      item_id: string;
      output_index: number;
      arguments: string;
    };
