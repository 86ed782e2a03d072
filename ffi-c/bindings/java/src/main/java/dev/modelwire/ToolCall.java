package dev.modelwire;

import java.util.Map;

/**
 * A call that the model asks for.
 *
 * @param id to which the result refers
 * @param name of the function
 * @param arguments JSON text as the model wrote it
 */
public record ToolCall(String id, String name, String arguments) implements Json.Source {
    @Override public Map<String, ?> toMap() {
        return Json.object("id", id, "type", "function",
                "function", Json.object("name", name, "arguments", arguments));
    }
}
