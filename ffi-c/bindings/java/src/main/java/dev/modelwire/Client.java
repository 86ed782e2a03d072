package dev.modelwire;

import static dev.modelwire.Library.*;

import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.Map;

/**
 * A client of one service, for any number of threads.
 *
 * <p>A daemon thread takes the events of all its calls. Who waits for one, a virtual thread or
 * another, is parked meanwhile; Thread.interrupt ends the wait and the call.
 */
public final class Client implements AutoCloseable {
    private final Calls calls;
    private final Cleaner.Cleanable closing;

    /** Base URL and key come from the environment. */
    public Client() { this(Map.of()); }

    /** Options, or a map by their names; base URL and key come from the environment otherwise. */
    public Client(Map<?, ?> options) {
        calls = new Calls(client_new(Json.of(options)));
        closing = CLEANER.register(this, calls::close);
    }

    /** Their names are models() of the response. */
    public Response models(Map<?, ?>... options) {
        return calls.start(this, OPERATION_MODELS, 0, null, options).response();
    }

    /** The request is a ChatRequest, a map, or JSON text; the options are of this call. */
    public Response chat(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 0, request, options).response();
    }

    /** The request is a ResponsesRequest, a map, or JSON text. */
    public Response responses(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 0, request, options).response();
    }

    public Chunks chatStream(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 1, request, options);
    }

    public Chunks responsesStream(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 1, request, options);
    }

    /** How many calls are in flight, including those that nobody waits for any more. */
    public long unfinished() { return calls.unfinished(); }

    /** Hands the library's log to {@link System.Logger}, on the thread that takes the events. */
    public void log(Level level) { calls.log(Level.OFF.ordinal() - level.ordinal()); }

    /** Ends the calls in flight, and waits until they have ended. */
    @Override public void close() {
        closing.clean();
        calls.ended.join();
    }
}
