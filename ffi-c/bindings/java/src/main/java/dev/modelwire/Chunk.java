package dev.modelwire;

import static dev.modelwire.Library.*;

/** A piece of a response. All but its text is gone when the stream goes on, unless kept. */
public final class Chunk {
    private final String text;
    private long event;
    private String name;
    private Json json;

    Chunk(long event) {
        this.event = event;
        text = event_text(event);
    }

    /** What it adds to the text; "" where it adds none. */
    public String text() { return text; }

    /** Of the server-sent event, "response.output_text.delta" for instance. */
    public String name() { return keep().name; }

    /** As the service sent it. */
    public Json json() { return keep().json; }

    /** Reads everything, to be looked at later. */
    public synchronized Chunk keep() {
        if (json != null) return this;
        if (event == 0) throw new IllegalStateException("the stream went on: keep() it before");
        name = event_name(event);
        json = new Json(event_json(event));
        return this;
    }

    @Override public String toString() { return "Chunk[text=" + text + "]"; }

    synchronized void free() {
        event_free(event);
        event = 0;
    }
}
