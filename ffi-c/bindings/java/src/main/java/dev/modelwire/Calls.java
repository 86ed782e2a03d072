package dev.modelwire;

import static dev.modelwire.Library.*;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongBinaryOperator;

/** What the thread that takes has: neither client nor streams, so that these are collected. */
final class Calls {
    private static final int TAKEN_AT_ONCE = 64;
    private final Map<Long, Reference<Chunks>> open = new ConcurrentHashMap<>();
    private final long client;
    volatile CompletableFuture<?> ended = CompletableFuture.completedFuture(null);
    private long queue, last;
    private boolean closed;

    Calls(long client) { this.client = client; }

    Chunks start(Client owner, int operation, int stream, Object given, Map<?, ?>[] options) {
        long request = request_new(operation, Json.from(given));
        try {
            for (Map<?, ?> some : options) request_set_options(request, Json.of(some));
            synchronized (this) {
                long queue = begun();
                Chunks call = new Chunks(owner, this, ++last);
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
        if (closed) throw new ModelwireException(ModelwireException.CLOSED);
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
            if (call != null) call.lock.lock();
            try {
                for (; at < events.length && event_tag(events[at]) == tag; at++) {
                    int kind = event_kind(events[at]);
                    if (kind == EVENT_RESPONSE || kind == EVENT_ERROR) open.remove(tag);
                    if (kind == EVENT_LOG) record(events[at]);
                    if (call == null || !call.add(kind, events[at])) event_free(events[at]);
                }
            } finally {
                if (call != null) call.lock.unlock();
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
