/*
 * modelwire for Java: models, chats and responses, whole or streamed, from any number of threads.
 *
 * It needs Java 25 or newer, libmodelwire.so.0.1 where the loader finds it (or its path in
 * MODELWIRE_LIBRARY), and the files Client.java and Modelwire.java. To run the example:
 *
 *     javac -d classes Client.java Modelwire.java Example.java
 *     java --enable-native-access=ALL-UNNAMED -cp classes Example a-model "Say hello."
 *
 * A daemon thread of each client takes the events of all its calls. Who waits for one, a virtual
 * thread or another, is parked meanwhile; Thread.interrupt ends the wait and the call.
 */
package modelwire;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static modelwire.Modelwire.*;

import java.lang.System.Logger.Level;
import java.lang.foreign.*;
import java.lang.ref.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.LongBinaryOperator;
import java.util.stream.*;

/** A client of one service, for any number of threads. */
public final class Client implements AutoCloseable {
    private static final int TAKEN_AT_ONCE = 64, PAUSED_AT = 128, RESUMED_AT = 32;
    private final Calls calls;
    private final Cleaner.Cleanable closing;

    /** Options of the library by name; base URL and key come from the environment otherwise. */
    public Client(Map<?, ?> options) {
        calls = new Calls(client_new(Json.of(options)));
        closing = CLEANER.register(this, calls::close);
    }

    public Response models(Map<?, ?>... options) {
        return calls.start(this, OPERATION_MODELS, 0, null, options).response();
    }

    /** The request is a map, or JSON text; the options are of this call, total_timeout_ms say. */
    public Response chat(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 0, request, options).response();
    }

    public Response responses(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 0, request, options).response();
    }

    public ChunkStream chatStream(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 1, request, options);
    }

    public ChunkStream responsesStream(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 1, request, options);
    }

    /** How many calls are under way, those included that nobody waits for any more. */
    public long unfinished() { return calls.unfinished(); }

    /** Hands the library's log to {@link System.Logger}, on the thread that takes the events. */
    public void log(Level level) {
        calls.log(Math.min(LOG_TRACE, Level.OFF.ordinal() - level.ordinal()));
    }

    /** Ends what is under way, and waits until it has ended. */
    @Override public void close() {
        closing.clean();
        calls.ended.join();
    }

    /** Info has http_status, request_id, attempts, usage, finish_reason, tool_calls and more. */
    public record Response(String text, Json json, Json info) {}

    /** A piece of a response. All but its text is gone when the stream goes on, unless kept. */
    public static final class Chunk {
        private final String text;
        private long event;
        private String name;
        private Json json;

        private Chunk(long event) {
            this.event = event;
            text = event_text(event);
        }

        public String text() { return text; }
        public String name() { return keep().name; }
        public Json json() { return keep().json; }

        public synchronized Chunk keep() {
            if (json != null) return this;
            if (event == 0) throw new IllegalStateException("the stream went on: keep() it before");
            name = event_name(event);
            json = new Json(event_json(event));
            return this;
        }

        private synchronized void free() {
            event_free(event);
            event = 0;
        }
    }

    /** A response piece by piece; who leaves it before its end closes it, or the collector does. */
    public static final class ChunkStream implements Iterable<Chunk>, Iterator<Chunk>, AutoCloseable {
        private final Client client; // which is not collected before
        private final long tag;
        private final ArrayDeque<Chunk> held = new ArrayDeque<>();
        private final Cleaner.Cleanable leaving;
        private int given; // 1 when the first that is held is the reader's
        private boolean paused;
        private Response response;
        private String failure;

        private ChunkStream(Client client, long tag) {
            this.client = client;
            this.tag = tag;
            leaving = CLEANER.register(this, leave(client.calls, tag, held));
        }

        private static Runnable leave(Calls calls, long tag, ArrayDeque<Chunk> held) {
            return () -> {
                calls.tell(Modelwire::queue_cancel, tag);
                held.forEach(Chunk::free);
                held.clear();
            };
        }

        @Override public Iterator<Chunk> iterator() { return this; }

        @Override public synchronized boolean hasNext() {
            boolean interrupted = false;
            while (held.size() <= given && response == null && failure == null)
                try {
                    wait();
                } catch (InterruptedException interruption) {
                    interrupted = true;
                    cancel(); // which the last event tells, at once
                }
            if (interrupted) Thread.currentThread().interrupt();
            if (held.size() <= given && failure != null) throw new Failure(failure);
            return held.size() > given;
        }

        @Override public synchronized Chunk next() {
            if (!hasNext()) throw new NoSuchElementException();
            if (given == 1) held.poll().free();
            given = 1;
            if (paused && held.size() <= RESUMED_AT) {
                paused = false;
                client.calls.tell(Modelwire::queue_resume, tag);
            }
            return held.peek();
        }

        public Stream<Chunk> stream() {
            Spliterator<Chunk> chunks = Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED);
            return StreamSupport.stream(chunks, false).map(Chunk::keep).onClose(this::close);
        }

        /** How it ended, once the rest is read. */
        public Response response() {
            while (hasNext()) next();
            leaving.clean();
            return response;
        }

        /** Ends the call, from any thread: then who reads gets a failure of kind "cancelled". */
        public void cancel() { client.calls.tell(Modelwire::queue_cancel, tag); }

        @Override public synchronized void close() {
            if (response == null || held.size() > given) add(EVENT_ERROR, 0);
            leaving.clean();
        }

        /** Whether it keeps the event, a failure of which is 0 where the library tells none. */
        private synchronized boolean add(int kind, long event) {
            if (failure != null) return false;
            if (kind == EVENT_CHUNK) held.add(new Chunk(event));
            if (kind == EVENT_ERROR) failure = event == 0 ? Failure.CLOSED : event_json(event);
            if (kind == EVENT_RESPONSE)
                response = new Response(event_text(event), new Json(event_json(event)),
                        new Json(value_json(event_info(event), "")));
            notifyAll();
            if (held.size() >= PAUSED_AT && !paused) {
                paused = true;
                client.calls.tell(Modelwire::queue_pause, tag);
            }
            return kind == EVENT_CHUNK;
        }
    }

    /** The calls of a client and the thread that takes their events. Nothing here refers to the
     * client or to its streams, so that they are collected when the program has left them. */
    private static final class Calls {
        private final Map<Long, Reference<ChunkStream>> open = new ConcurrentHashMap<>();
        private final long client;
        private volatile CompletableFuture<?> ended = CompletableFuture.completedFuture(null);
        private long queue, last;
        private boolean closed;

        Calls(long client) { this.client = client; }

        ChunkStream start(Client owner, int operation, int stream, Object given, Map<?, ?>[] options) {
            String json = given == null || given instanceof String ? (String) given : Json.of(given);
            long request = request_new(operation, json);
            try {
                for (Map<?, ?> some : options) request_set_options(request, Json.of(some));
                return submit(owner, request, stream);
            } finally {
                request_free(request);
            }
        }

        private synchronized ChunkStream submit(Client owner, long request, int stream) {
            begin();
            ChunkStream call = new ChunkStream(owner, ++last);
            open.put(last, new WeakReference<>(call));
            queue_submit_request(queue, client, request, stream, last);
            return call;
        }

        private void begin() {
            if (closed) throw new Failure(Failure.CLOSED);
            if (queue != 0) return;
            queue = queue_new(0);
            ended = CompletableFuture.runAsync(this::take, run ->
                    Thread.ofPlatform().daemon().name("modelwire").start(run));
        }

        synchronized void log(int level) {
            begin();
            queue_log(queue, level, 0);
        }

        synchronized long unfinished() { return queue_count(queue); }
        synchronized void tell(LongBinaryOperator what, long tag) { what.applyAsLong(queue, tag); }

        private void take() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment events = arena.allocate(JAVA_LONG, TAKEN_AT_ONCE);
                MemorySegment count = arena.allocate(JAVA_LONG);
                while (queue_take(queue, -1, events, TAKEN_AT_ONCE, count) != CLOSED)
                    for (long at = 0; at < count.get(JAVA_LONG, 0); at++)
                        give(events.getAtIndex(JAVA_LONG, at));
            } finally {
                free();
            }
        }

        private void give(long event) {
            int kind = event_kind(event);
            long tag = event_tag(event);
            boolean last = kind == EVENT_RESPONSE || kind == EVENT_ERROR;
            Reference<ChunkStream> found = last ? open.remove(tag) : open.get(tag);
            ChunkStream call = found == null ? null : found.get();
            if (kind == EVENT_LOG) record(event);
            if (call == null || !call.add(kind, event)) event_free(event);
        }

        private static void record(long event) {
            String level = value_text(event_value(event), "/level").toUpperCase(Locale.ROOT);
            System.getLogger(event_name(event))
                    .log(Level.valueOf(level.replace("WARN", "WARNING")), event_text(event));
        }

        /** Waits for nothing, since the collector's thread calls it too. */
        synchronized void close() {
            if (closed) return;
            closed = true;
            client_close(client, 0);
            if (queue == 0) client_free(client);
            else queue_close(queue);
        }

        private void free() {
            synchronized (this) {
                closed = true;
                queue_free(queue);
                client_free(client);
                queue = 0;
            }
            // None is left, unless this thread itself failed.
            for (Reference<ChunkStream> one : open.values())
                if (one.get() instanceof ChunkStream call) call.add(EVENT_ERROR, 0);
        }
    }
}
