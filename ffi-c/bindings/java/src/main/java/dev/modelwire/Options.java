package dev.modelwire;

import java.time.Duration;
import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Options of a client or of a call. Those that have no method here are set by their names. */
public final class Options extends AbstractMap<String, Object> {
    private final Map<String, Object> all = new LinkedHashMap<>();

    public Options baseUrl(String url) { return set("base_url", url); }

    public Options apiKey(String key) { return set("api_key", key); }

    public Options headers(Map<String, String> headers) { return set("headers", headers); }

    public Options maxRetries(int count) { return set("max_retries", count); }

    /** Of all attempts of a call together; null is no limit. */
    public Options totalTimeout(Duration limit) { return timeout("total_timeout_ms", limit); }

    /** Of a pause in the content of an answer; null is no limit. */
    public Options idleTimeout(Duration limit) { return timeout("idle_timeout_ms", limit); }

    /** The end of a stream has the whole answer. */
    public Options gather() { return set("gather", true); }

    /** Any option by its name. */
    public Options set(String name, Object value) {
        all.put(name, value);
        return this;
    }

    private Options timeout(String name, Duration limit) {
        return set(name, limit == null ? null : limit.toMillis());
    }

    @Override public Set<Entry<String, Object>> entrySet() { return all.entrySet(); }
}
