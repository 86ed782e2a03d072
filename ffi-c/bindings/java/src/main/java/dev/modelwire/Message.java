package dev.modelwire;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A message of a chat.
 *
 * @param role "system", "user", "assistant" or "tool"
 * @param content a text, or parts
 * @param toolCalls those of an assistant
 * @param toolCallId of a tool: whose result it is
 */
public record Message(String role, Object content, List<ToolCall> toolCalls, String toolCallId)
        implements Json.Source {
    public static Message system(String text) { return of("system", text); }

    public static Message user(String text) { return of("user", text); }

    public static Message user(Part... parts) { return of("user", List.of(parts)); }

    public static Message assistant(String text) { return assistant(text, List.of()); }

    public static Message assistant(String text, List<ToolCall> toolCalls) {
        return new Message("assistant", text, toolCalls, null);
    }

    /** What a tool gave. */
    public static Message tool(ToolCall call, String result) {
        return new Message("tool", result, List.of(), call.id());
    }

    private static Message of(String role, Object content) {
        return new Message(role, content, List.of(), null);
    }

    @Override public Map<String, ?> toMap() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("role", role);
        fields.put("content", toolCalls.isEmpty() || !"".equals(content) ? content : null);
        if (!toolCalls.isEmpty()) fields.put("tool_calls", toolCalls);
        if (toolCallId != null) fields.put("tool_call_id", toolCallId);
        return fields;
    }

    /** A part of a message. */
    public sealed interface Part extends Json.Source {
        static Part text(String text) { return new Text(text); }

        /** An image at a URL. */
        static Part image(String url) { return new Image(url); }

        /** An image itself, of a type as "image/png". */
        static Part image(String type, byte[] bytes) {
            String text = Base64.getEncoder().encodeToString(bytes);
            return new Image("data:" + type + ";base64," + text);
        }
    }

    public record Text(String text) implements Part {
        @Override public Map<String, ?> toMap() {
            return Json.object("type", "text", "text", text);
        }
    }

    public record Image(String url) implements Part {
        @Override public Map<String, ?> toMap() {
            return Json.object("type", "image_url", "image_url", Json.object("url", url));
        }
    }
}
