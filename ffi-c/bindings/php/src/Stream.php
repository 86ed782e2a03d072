<?php

declare(strict_types=1);

namespace Modelwire;

/**
 * The chunks of a call. Who leaves the loop over it early, or drops it, ends the call. One task at
 * a time may read it.
 */
final class Stream implements \IteratorAggregate {
    /** How the stream ended, and what it used; null before. */
    public ?Response $response = null;
    public readonly int $tag;
    private readonly Call $call;
    private array $chunks = [];
    private int $read = 0;
    private bool $awaited = false;

    public function __construct(private readonly Handle $queue) {
        $this->tag = ++Core::$last;
        Core::$calls[$this->tag] = $this->call = new Call();
    }
    public function getIterator(): \Generator {
        try {
            while ($this->hasMore()) yield $this->chunks[$this->read++];
        } finally {
            if (!$this->awaited) $this->cancel(); // else it is another task's
        }
    }
    /** The next chunk; null at the end. */
    public function next(): ?Chunk {
        return $this->hasMore() ? $this->chunks[$this->read++] : null;
    }
    /** Reads what is left; how the call ended. */
    public function end(): Response {
        while ($this->next());
        return $this->response;
    }
    /** Ends the call now, also while another task waits for it. */
    public function cancel(): void {
        Core::$ffi->modelwire_queue_cancel($this->queue->pointer, $this->tag);
    }
    public function __destruct() {
        unset(Core::$calls[$this->tag]);
        $this->cancel();
    }

    private function __clone() {}
    private function hasMore(): bool {
        if ($this->read < \count($this->chunks)) return true;
        if ($this->awaited) throw new \LogicException('another task reads this stream');
        $call = $this->call;
        try {
            $this->awaited = true;
            while (!$call->chunks && !$call->last) Tasks::wait($this->queue, $call);
        } finally {
            $this->awaited = false;
        }
        [$this->chunks, $call->chunks, $this->read] = [$call->chunks, [], 0];
        if (\count($this->chunks) >= Core::PAUSE_AT) {
            Core::$ffi->modelwire_queue_resume($this->queue->pointer, $this->tag);
        }
        if ($this->chunks) return true;
        $this->response = $call->last instanceof Response ? $call->last
            : throw new Exception($call->last->json());
        return false;
    }
}
