package dev.modelwire;

import static dev.modelwire.Library.*;

import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A response piece by piece; closed by who leaves it before its end, or by the collector. */
public final class Chunks implements Iterable<Chunk>, Iterator<Chunk>, AutoCloseable {
    private static final int PAUSED_AT = 128, RESUMED_AT = 32;
    private final Client client; // which is not collected before
    private final Calls calls;
    private final long tag;
    private final Deque<Chunk> held = new ArrayDeque<>();
    private final Cleaner.Cleanable leaving;
    // No monitor, in which virtual threads hold a thread of the machine before Java 24.
    final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private int given; // 1 when the first that is held is the reader's
    private boolean paused;
    private Response response;
    private String failure;

    Chunks(Client client, Calls calls, long tag) {
        this.client = client;
        this.calls = calls;
        this.tag = tag;
        Deque<Chunk> held = this.held; // what follows must not refer to this
        leaving = CLEANER.register(this, () -> calls.leave(tag, held));
    }

    @Override public Iterator<Chunk> iterator() { return this; }

    @Override public boolean hasNext() {
        boolean interrupted = false;
        lock.lock();
        try {
            while (held.size() <= given && response == null && failure == null)
                try {
                    news.await();
                } catch (InterruptedException interruption) {
                    interrupted = true;
                    cancel(); // then the last event comes at once
                }
            if (held.size() <= given && failure != null) throw new ModelwireException(failure);
            return held.size() > given;
        } finally {
            lock.unlock();
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    @Override public Chunk next() {
        lock.lock();
        try {
            if (!hasNext()) throw new NoSuchElementException();
            if (given == 1) held.poll().free();
            given = 1;
            if (paused && held.size() <= RESUMED_AT) {
                paused = false;
                calls.tell(Library::queue_resume, tag);
            }
            return held.peek();
        } finally {
            lock.unlock();
        }
    }

    /** The chunks, each kept. */
    public Stream<Chunk> stream() {
        return StreamSupport.stream(spliterator(), false).map(Chunk::keep).onClose(this::close);
    }

    /** The chunks, each kept, for one subscriber, which is called on a virtual thread. */
    public Flow.Publisher<Chunk> publisher() { return new Publication(this); }

    /** How it ended, once the rest is read. */
    public Response response() {
        lock.lock();
        try {
            while (hasNext()) next();
            if (given == 0) leaving.clean();
            return response;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the call, from any thread: its reader gets an exception of kind "cancelled". */
    public void cancel() { calls.tell(Library::queue_cancel, tag); }

    @Override public void close() {
        lock.lock();
        try {
            if (response == null || held.size() > given) add(EVENT_ERROR, 0);
            leaving.clean();
        } finally {
            lock.unlock();
        }
    }

    /** Whether it keeps the event; 0 is a failure that the library does not tell. */
    boolean add(int kind, long event) {
        lock.lock();
        try {
            if (failure != null) return false;
            if (kind == EVENT_CHUNK) held.add(new Chunk(event));
            if (kind == EVENT_ERROR)
                failure = event == 0 ? ModelwireException.CLOSED : event_json(event);
            if (kind == EVENT_RESPONSE) response = Response.of(event);
            news.signalAll();
            if (held.size() >= PAUSED_AT && !paused) {
                paused = true;
                calls.tell(Library::queue_pause, tag);
            }
            return kind == EVENT_CHUNK;
        } finally {
            lock.unlock();
        }
    }
}
