/*
 * modelwire for Java: models, chats and responses, whole or streamed, from any number of threads.
 *
 * It needs Java 25 or newer, libmodelwire.so.0.1 where the loader finds it (or its path in
 * MODELWIRE_LIBRARY), and the files Client.java and Modelwire.java. To run the example:
 *
 *     javac -d classes Client.java Modelwire.java example.java
 *     java --enable-native-access=ALL-UNNAMED -cp classes Example a-model "Say hello."
 *
 * A daemon thread of each client takes the events of all its calls. Who waits for one, a virtual
 * thread or another, is parked meanwhile; Thread.interrupt ends the wait and the call.
 */
package modelwire;

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

    public Chunks chatStream(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_CHAT, 1, request, options);
    }

    public Chunks responsesStream(Object request, Map<?, ?>... options) {
        return calls.start(this, OPERATION_RESPONSES, 1, request, options);
    }

    /** How many calls are under way, those included that nobody waits for any more. */
    public long unfinished() { return calls.unfinished(); }

    /** Hands the library's log to {@link System.Logger}, on the thread that takes the events. */
    public void log(Level level) { calls.log(Level.OFF.ordinal() - level.ordinal()); }

    /** Ends what is under way, and waits until it has ended. */
    @Override public void close() {
        closing.clean();
        calls.ended.join();
    }

    /** A response piece by piece; closed by who leaves it before its end, or by the collector. */
    public static final class Chunks implements Iterable<Chunk>, Iterator<Chunk>, AutoCloseable {
        private final Client client; // which is not collected before
        private final long tag;
        private final Deque<Chunk> held;
        private final Cleaner.Cleanable leaving;
        private int given; // 1 when the first that is held is the reader's
        private boolean paused;
        private Response response;
        private String failure;

        private Chunks(Client client, long tag, Deque<Chunk> held) {
            this.client = client;
            this.tag = tag;
            this.held = held;
            Calls calls = client.calls; // what follows must not refer to this
            leaving = CLEANER.register(this, () -> calls.leave(tag, held));
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
            return StreamSupport.stream(spliterator(), false).map(Chunk::keep).onClose(this::close);
        }

        /** How it ended, once the rest is read. */
        public synchronized Response response() {
            while (hasNext()) next();
            if (given == 0) leaving.clean();
            return response;
        }

        /** Ends the call, from any thread: then who reads gets a failure of kind "cancelled". */
        public void cancel() { client.calls.tell(Modelwire::queue_cancel, tag); }

        @Override public synchronized void close() {
            if (response == null || held.size() > given) add(EVENT_ERROR, 0);
            leaving.clean();
        }

        /** Whether it keeps the event; 0 is a failure that the library does not tell. */
        private synchronized boolean add(int kind, long event) {
            if (failure != null) return false;
            if (kind == EVENT_CHUNK) held.add(new Chunk(event));
            if (kind == EVENT_ERROR) failure = event == 0 ? Failure.CLOSED : event_json(event);
            if (kind == EVENT_RESPONSE) response = Response.of(event);
            notifyAll();
            if (held.size() >= PAUSED_AT && !paused) {
                paused = true;
                client.calls.tell(Modelwire::queue_pause, tag);
            }
            return kind == EVENT_CHUNK;
        }
    }

    /** What the thread that takes has: neither client nor streams, so that these are collected. */
    private static final class Calls {
        private final Map<Long, Reference<Chunks>> open = new ConcurrentHashMap<>();
        private final long client;
        private volatile CompletableFuture<?> ended = CompletableFuture.completedFuture(null);
        private long queue, last;
        private boolean closed;

        Calls(long client) { this.client = client; }

        Chunks start(Client owner, int operation, int stream, Object given, Map<?, ?>[] options) {
            long request = request_new(operation, Json.from(given));
            try {
                for (Map<?, ?> some : options) request_set_options(request, Json.of(some));
                synchronized (this) {
                    long queue = begun();
                    Chunks call = new Chunks(owner, ++last, new ArrayDeque<>());
                    open.put(last, new WeakReference<>(call));
                    queue_submit_request(queue, client, request, stream, last);
                    return call;
                }
            } finally {
                request_free(request);
            }
        }

        /** The queue, from the first call on: many a client makes none. */
        private long begun() {
            if (closed) throw new Failure(Failure.CLOSED);
            if (queue != 0) return queue;
            long made = queue_new(0);
            ended = CompletableFuture.runAsync(() -> take(made), run ->
                    Thread.ofPlatform().daemon().name("modelwire").start(run));
            return queue = made;
        }

        synchronized void log(int level) { queue_log(begun(), Math.min(level, LOG_TRACE), -1); }
        synchronized long unfinished() { return queue_count(queue); }
        synchronized void tell(LongBinaryOperator what, long tag) { what.applyAsLong(queue, tag); }
        synchronized void leave(long tag, Collection<Chunk> held) {
            queue_cancel(queue, tag);
            held.forEach(Chunk::free);
            held.clear();
        }

        /** Waits for nothing: the collector's thread calls it too. */
        synchronized void close() {
            if (closed) return;
            closed = true;
            client_close(client, 0);
            if (queue == 0) client_free(client);
            queue_close(queue);
        }

        private void take(long queue) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment events = arena.allocate(ValueLayout.JAVA_LONG, TAKEN_AT_ONCE);
                MemorySegment count = arena.allocate(ValueLayout.JAVA_LONG);
                while (queue_take(queue, -1, events, TAKEN_AT_ONCE, count) != CLOSED)
                    give(events.toArray(ValueLayout.JAVA_LONG));
            } finally {
                synchronized (this) {
                    closed = true;
                    this.queue = 0;
                    queue_free(queue);
                    client_free(client);
                }
                // None is left, unless this thread itself failed.
                for (Reference<Chunks> one : open.values())
                    if (one.get() instanceof Chunks call) call.add(EVENT_ERROR, 0);
            }
        }

        private void give(long[] events) {
            for (int at = 0; at < events.length && events[at] != 0; ) {
                long tag = event_tag(events[at]);
                Reference<Chunks> found = open.get(tag);
                Chunks call = found == null ? null : found.get();
                // All that follow each other, so that who waits is woken once.
                synchronized (call == null ? open : call) {
                    for (; at < events.length && event_tag(events[at]) == tag; at++) {
                        int kind = event_kind(events[at]);
                        if (kind == EVENT_RESPONSE || kind == EVENT_ERROR) open.remove(tag);
                        if (kind == EVENT_LOG) record(events[at]);
                        if (call == null || !call.add(kind, events[at])) event_free(events[at]);
                    }
                }
            }
        }

        private static void record(long event) {
            String level = value_text(event_value(event), "/level").replace("warn", "warning");
            try {
                System.getLogger(event_name(event))
                        .log(Level.valueOf(level.toUpperCase(Locale.ROOT)), event_text(event));
            } catch (RuntimeException failure) {
                // What is wrong with a logger is not the calls' concern.
            }
        }
    }
}
