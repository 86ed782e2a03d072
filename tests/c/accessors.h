/*
 * The table of accessors for the tests of C and C++: the name of the C++ function, that of the
 * member, and the JSON that it has in the sample. Generated from core/src/answer/accessor_table.rs
 * (`make generate`); do not edit.
 */
#ifndef ACCESSORS_H
#define ACCESSORS_H

#define CHUNK_ACCESSORS(ROW) \
  ROW(name, "/name", "\"named\"") \
  ROW(reasoning, "/reasoning", "\"so\"") \
  ROW(finish_reason, "/finish_reason", "\"length\"") \
  ROW(usage, "/usage", "{\"input_tokens\":3,\"output_tokens\":4,\"total_tokens\":7,\"cached_input_tokens\":0,\"cache_write_tokens\":0,\"reasoning_tokens\":0,\"audio_input_tokens\":0,\"audio_output_tokens\":0}") \
  ROW(tool_calls, "/tool_calls", "[{\"index\":1,\"id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}]")

#define RESPONSE_ACCESSORS(ROW) \
  ROW(http_status, "/http_status", "200") \
  ROW(request_id, "/request_id", "\"req-1\"") \
  ROW(id, "/id", "\"chat-1\"") \
  ROW(model, "/model", "\"m-2\"") \
  ROW(attempts, "/attempts", "1") \
  ROW(elapsed, "/elapsed_ms", "*") \
  ROW(end_mark, "/end", "\"document\"") \
  ROW(is_gathered, "/is_gathered", "false") \
  ROW(reasoning, "/reasoning", "\"so\"") \
  ROW(finish_reason, "/finish_reason", "\"stop\"") \
  ROW(usage, "/usage", "{\"input_tokens\":30,\"output_tokens\":40,\"total_tokens\":80,\"cached_input_tokens\":1,\"cache_write_tokens\":2,\"reasoning_tokens\":3,\"audio_input_tokens\":4,\"audio_output_tokens\":5}") \
  ROW(tool_calls, "/tool_calls", "[{\"id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}]") \
  ROW(model_ids, "/models", "[\"m-1\",\"m-2\"]") \
  ROW(headers, "/headers", "*") \
  ROW(rate_limits, "/rate_limits", "{\"requests\":{\"limit\":60,\"remaining\":59,\"reset_ms\":60000},\"tokens\":{\"limit\":null,\"remaining\":100,\"reset_ms\":null},\"others\":{\"input_tokens\":{\"limit\":7,\"remaining\":null,\"reset_ms\":20}},\"retry_after_ms\":2000}") \
  ROW(timing, "/timing", "*")

#define ERROR_ACCESSORS(ROW) \
  ROW(kind_name, "/kind", "\"rate_limited\"") \
  ROW(message, "/message", "\"No.\"") \
  ROW(hint, "/hint", "*") \
  ROW(doc_url, "/doc_url", "\"docs/troubleshooting.md#kind-rate_limited\"") \
  ROW(http_status, "/http_status", "429") \
  ROW(type, "/type", "\"t\"") \
  ROW(code, "/code", "\"7\"") \
  ROW(param, "/param", "\"p\"") \
  ROW(request_id, "/request_id", "\"req-1\"") \
  ROW(path, "/path", "*") \
  ROW(model, "/model", "\"m\"") \
  ROW(timeout_name, "/timeout", "null") \
  ROW(metered, "/metered", "\"unknown\"") \
  ROW(body, "/body", "\"{\\\"error\\\":1}\"") \
  ROW(partial, "/partial", "null") \
  ROW(headers, "/headers", "*") \
  ROW(request_time, "/request_time_unix_ms", "*") \
  ROW(attempts, "/attempts", "1") \
  ROW(elapsed, "/elapsed_ms", "*") \
  ROW(retry_after, "/retry_after_ms", "2000") \
  ROW(rate_limits, "/rate_limits", "{\"requests\":{\"limit\":60,\"remaining\":59,\"reset_ms\":60000},\"tokens\":{\"limit\":null,\"remaining\":100,\"reset_ms\":null},\"others\":{\"input_tokens\":{\"limit\":7,\"remaining\":null,\"reset_ms\":20}},\"retry_after_ms\":2000}") \
  ROW(timing, "/timing", "*")

#endif
