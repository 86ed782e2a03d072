package dev.modelwire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The body of a chat. Fields that have no method here are set by their names. */
public final class ChatRequest implements Json.Source {
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final List<Message> messages = new ArrayList<>();
    private final List<Map<String, ?>> tools = new ArrayList<>();

    public ChatRequest(String model) {
        fields.put("model", model);
        fields.put("messages", messages);
    }

    public ChatRequest system(String text) { return add(Message.system(text)); }

    public ChatRequest user(String text) { return add(Message.user(text)); }

    public ChatRequest user(Message.Part... parts) { return add(Message.user(parts)); }

    public ChatRequest add(Message message) {
        messages.add(message);
        return this;
    }

    /** A function that the model may call; its parameters are a JSON schema, a map or Json. */
    public ChatRequest tool(String name, String description, Object parameters) {
        tools.add(Json.object("type", "function", "function", Json.object(
                "name", name, "description", description, "parameters", parameters)));
        return set("tools", tools);
    }

    /** The answer keeps to a JSON schema, a map or Json. */
    public ChatRequest schema(String name, Object schema) {
        return set("response_format", Json.object("type", "json_schema", "json_schema",
                Json.object("name", name, "schema", schema, "strict", true)));
    }

    public ChatRequest temperature(double temperature) { return set("temperature", temperature); }

    public ChatRequest maxTokens(int count) { return set("max_tokens", count); }

    /** Any field of the service's; null is sent as null. */
    public ChatRequest set(String name, Object value) {
        fields.put(name, value);
        return this;
    }

    @Override public Map<String, ?> toMap() { return fields; }
}
