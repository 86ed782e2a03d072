package dev.modelwire;

/** What went wrong, with all that is known of it; null where there is nothing. */
public final class ModelwireException extends RuntimeException {
    static final String CLOSED =
            "{\"kind\":\"closed\",\"message\":\"the client or the stream is closed\","
                    + "\"hint\":\"Make a new one.\"}";
    private static final long serialVersionUID = 1;
    private final String json;
    private transient Json known;

    ModelwireException(String json) { this.json = json; }

    /** All of it as text. */
    public String json() { return json; }

    /** The category, "rate_limited" for instance. */
    public String kind() { return known().text("/kind"); }

    /** What went wrong, without kind and hint. */
    public String explanation() { return known().text("/message"); }

    /** What to do about it; may be empty. */
    public String hint() { return known().text("/hint"); }

    /** Where the documentation explains errors of this kind. */
    public String docUrl() { return known().text("/doc_url"); }

    public Long httpStatus() { return known().integer("/http_status"); }

    public String type() { return known().text("/type"); }

    public String code() { return known().text("/code"); }

    public String param() { return known().text("/param"); }

    public String requestId() { return known().text("/request_id"); }

    public String path() { return known().text("/path"); }

    public String model() { return known().text("/model"); }

    /** The timeout that expired, "idle_timeout" for instance. */
    public String timeout() { return known().text("/timeout"); }

    /** Whether the call may be billed: "not_sent", "normally_not", "entered" or "unknown". */
    public String metered() { return known().text("/metered"); }

    public String body() { return known().text("/body"); }

    /** What had come before the failure, as JSON text, if the call gathers. */
    public String partial() { return known().text("/partial"); }

    public Long attempts() { return known().integer("/attempts"); }

    public Long elapsedMs() { return known().integer("/elapsed_ms"); }

    public Long requestTimeUnixMs() { return known().integer("/request_time_unix_ms"); }

    public Long retryAfterMs() { return known().integer("/retry_after_ms"); }

    /** Of the response, objects with a name and a value. */
    public Json headers() {
        String headers = known().json("/headers");
        return new Json(headers == null ? "[]" : headers);
    }

    @Override public String getMessage() {
        String hint = hint();
        return kind() + ": " + explanation() + (hint == null || hint.isEmpty() ? "" : "\n" + hint);
    }

    private synchronized Json known() {
        if (known == null) known = new Json(json);
        return known;
    }
}
