package dev.modelwire;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The chunks of a stream for one subscriber, as many as it asks for. */
final class Publication implements Flow.Publisher<Chunk> {
    private final Chunks chunks;
    private final AtomicBoolean taken = new AtomicBoolean();

    Publication(Chunks chunks) { this.chunks = chunks; }

    @Override public void subscribe(Flow.Subscriber<? super Chunk> subscriber) {
        if (taken.compareAndSet(false, true)) {
            Thread.ofVirtual().start(new Delivery(subscriber));
            return;
        }
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override public void request(long count) {}

            @Override public void cancel() {}
        });
        subscriber.onError(new IllegalStateException("a stream has one subscriber"));
    }

    private final class Delivery implements Flow.Subscription, Runnable {
        private final Flow.Subscriber<? super Chunk> subscriber;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition asked = lock.newCondition();
        private long demand;
        private boolean cancelled, invalid;

        Delivery(Flow.Subscriber<? super Chunk> subscriber) { this.subscriber = subscriber; }

        @Override public void request(long count) {
            change(() -> {
                if (count <= 0) invalid = true;
                else demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
            });
        }

        @Override public void cancel() {
            change(() -> cancelled = true);
            chunks.cancel();
        }

        private void change(Runnable what) {
            lock.lock();
            try {
                what.run();
                asked.signal();
            } finally {
                lock.unlock();
            }
        }

        /** Whether another chunk is wanted. */
        private boolean isAsked() {
            lock.lock();
            try {
                while (demand == 0 && !cancelled && !invalid) asked.awaitUninterruptibly();
                if (demand > 0 && demand < Long.MAX_VALUE) demand--;
                return !cancelled && !invalid;
            } finally {
                lock.unlock();
            }
        }

        @Override public void run() {
            try (chunks) {
                subscriber.onSubscribe(this);
                // onComplete and onError need no demand.
                while (chunks.hasNext()) {
                    if (!isAsked()) break;
                    subscriber.onNext(chunks.next().keep());
                }
                if (invalid) subscriber.onError(new IllegalArgumentException("request(0)"));
                else if (!cancelled) subscriber.onComplete();
            } catch (RuntimeException failure) {
                if (!cancelled) subscriber.onError(failure);
            }
        }
    }
}
