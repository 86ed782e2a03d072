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

    /** Lists the models: models() of the response has their names. */
    public Response models(Map<?, ?>... options) {
        return calls.start(this, OPERATION_MODELS, 0, null, options).response();
    }

    /** Completes a chat; the options are of this call. */
    public Response chat(ChatRequest request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 0, request, options).response();
    }

    /** The same of a map, as the JSON object that the service takes. */
    public Response chat(Map<?, ?> request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 0, request, options).response();
    }

    /** The same of JSON text, which is sent as it is. */
    public Response chat(String request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 0, request, options).response();
    }

    /** Makes a response; the options are of this call. */
    public Response responses(ResponsesRequest request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 0, request, options).response();
    }

    /** The same of a map, as the JSON object that the service takes. */
    public Response responses(Map<?, ?> request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 0, request, options).response();
    }

    /** The same of JSON text, which is sent as it is. */
    public Response responses(String request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 0, request, options).response();
    }

    /** Completes a chat piece by piece; the options are of this call. */
    public Chunks chatStream(ChatRequest request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 1, request, options);
    }

    /** The same of a map, as the JSON object that the service takes. */
    public Chunks chatStream(Map<?, ?> request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 1, request, options);
    }

    /** The same of JSON text, which is sent as it is. */
    public Chunks chatStream(String request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 1, request, options);
    }

    /** Makes a response piece by piece; the options are of this call. */
    public Chunks responsesStream(ResponsesRequest request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 1, request, options);
    }

    /** The same of a map, as the JSON object that the service takes. */
    public Chunks responsesStream(Map<?, ?> request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 1, request, options);
    }

    /** The same of JSON text, which is sent as it is. */
    public Chunks responsesStream(String request, Map<?, ?>... options) {
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
