package dev.modelwire;

import java.time.Duration;
import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Options of a client or of a call. Those that have no method here are set by their names. */
public final class Options extends AbstractMap<String, Object> {
    private final Map<String, Object> all = new LinkedHashMap<>();

    /** The base URL of the service of a client, "https://host/v1" for instance. */
    public Options baseUrl(String url) { return set("base_url", url); }

    /** Several services instead of one: each a URL, or a map of "url", "weight" and others. */
    public Options baseUrls(List<?> urls) { return set("base_urls", urls); }

    /** Spreads the calls of a client over its base URLs by weight. */
    public Options balance() { return set("balance", true); }

    /** The key of a client or of a call. */
    public Options apiKey(String key) { return set("api_key", key); }

    /** Headers to send, with every call of a client or with one. */
    public Options headers(Map<String, String> headers) { return set("headers", headers); }

    /** The maximum number of retries of a call; 0 disables them. */
    public Options maxRetries(int count) { return set("max_retries", count); }

    /** The longest time for all attempts and the delays between them; null is no limit. */
    public Options totalTimeout(Duration limit) { return timeout("total_timeout_ms", limit); }

    /** The longest pause in the content of an answer; null is no limit. */
    public Options idleTimeout(Duration limit) { return timeout("idle_timeout_ms", limit); }

    /** Gathers a stream, so that its end has the whole answer. */
    public Options gather() { return set("gather", true); }

    /** Any option by its name in docs/options.md. */
    public Options set(String name, Object value) {
        all.put(name, value);
        return this;
    }

    private Options timeout(String name, Duration limit) {
        return set(name, limit == null ? null : limit.toMillis());
    }

    @Override public Set<Entry<String, Object>> entrySet() { return all.entrySet(); }
}
