package dev.modelwire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The body of a response. Fields that have no method here are set by their names. */
public final class ResponsesRequest implements Json.Source {
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final List<Map<String, ?>> tools = new ArrayList<>();

    public ResponsesRequest(String model, String input) {
        fields.put("model", model);
        fields.put("input", input);
    }

    /** The input as items: maps, sources or Json. */
    public ResponsesRequest(String model, List<?> input) {
        fields.put("model", model);
        fields.put("input", input);
    }

    public ResponsesRequest instructions(String text) { return set("instructions", text); }

    /** A function that the model may call; its parameters are a JSON schema, a map or Json. */
    public ResponsesRequest tool(String name, String description, Object parameters) {
        tools.add(Json.object("type", "function", "name", name, "description", description,
                "parameters", parameters));
        return set("tools", tools);
    }

    /** The answer keeps to a JSON schema, a map or Json. */
    public ResponsesRequest schema(String name, Object schema) {
        return set("text", Json.object("format", Json.object(
                "type", "json_schema", "name", name, "schema", schema, "strict", true)));
    }

    /** Any field of the service's; null is sent as null. */
    public ResponsesRequest set(String name, Object value) {
        fields.put(name, value);
        return this;
    }

    @Override public Map<String, ?> toMap() { return fields; }
}
