package dev.modelwire;

import static dev.modelwire.Library.*;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A whole answer, or the end of a stream, which has text and JSON with the option gather only.
 *
 * @param text the output text
 * @param json as the service sent it
 * @param info what the library knows of the answer, in one form for all services
 */
public record Response(String text, Json json, Json info) {
    /** The tokens that the service reports; what it does not report is 0. */
    public record Usage(
            long inputTokens, long outputTokens, long totalTokens, long cachedInputTokens,
            long cacheWriteTokens, long reasoningTokens, long audioInputTokens,
            long audioOutputTokens) {}

    static Response of(long event) {
        Json info = new Json(value_json(event_info(event), ""));
        return new Response(event_text(event), new Json(event_json(event)), info);
    }

    public long httpStatus() { return info.integer("/http_status"); }

    public String requestId() { return info.text("/request_id"); }

    public String model() { return info.text("/model"); }

    /** Why the first choice stopped, or the status of a response; null at the end of a stream. */
    public String finishReason() { return info.text("/finish_reason"); }

    public String reasoning() { return info.text("/reasoning"); }

    /** Null where the service reports none. */
    public Usage usage() {
        if (info.integer("/usage/total_tokens") == null) return null;
        return new Usage(
                tokens("input"), tokens("output"), tokens("total"), tokens("cached_input"),
                tokens("cache_write"), tokens("reasoning"), tokens("audio_input"),
                tokens("audio_output"));
    }

    private long tokens(String which) { return info.integer("/usage/" + which + "_tokens"); }

    /** What the model wants called. */
    public List<ToolCall> toolCalls() {
        return list("/tool_calls", at -> new ToolCall(
                info.text("/tool_calls/" + at + "/id"), info.text("/tool_calls/" + at + "/name"),
                info.text("/tool_calls/" + at + "/arguments")));
    }

    /** The names in a list of models. */
    public List<String> models() { return list("/models", at -> info.text("/models/" + at)); }

    /** The answer as a message of the next request of a chat. */
    public Message message() { return Message.assistant(text, toolCalls()); }

    private <T> List<T> list(String path, IntFunction<T> item) {
        return IntStream.range(0, (int) info.count(path)).mapToObj(item).toList();
    }
}
