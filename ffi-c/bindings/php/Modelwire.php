<?php

/*
 * modelwire for PHP 8.1 and later: chats, responses and lists of models, whole or as streams. Copy it
 * with include/modelwire.ffi.h beside it. It needs PHP's extension FFI (Debian: php-cli; pcntl is used
 * where it is there) and libmodelwire.so.0.1, found by the loader or through MODELWIRE_LIBRARY in the
 * environment. In a web server FFI is for preloaded files: preload.php.
 *
 *     MODELWIRE_BASE_URL=https://host/v1 MODELWIRE_API_KEY=... php example.php a-model "Say hello."
 *
 * A call waits; inside of Modelwire\run other tasks go on meanwhile. Handlers of signals run while it
 * waits where pcntl_async_signals is on; one that throws ends the call.
 */

declare(strict_types=1);

namespace Modelwire;

use FFI;
use FFI\CData;

const JSON = \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_UNICODE | \JSON_UNESCAPED_SLASHES;

/** A client of one service. Requests are arrays or JSON text; options stand in docs/options.md. */
final class Client {
    private readonly Handle $client;

    public function __construct(array $options = []) {
        $json = \json_encode((object) $options, JSON);
        $this->client = new Handle('client', $json, \strlen($json));
    }

    public function models(array $options = []): Response {
        return $this->begin('MODELS', null, 0, $options)->end();
    }

    public function chat(array|string $request, array $options = []): Response {
        return $this->begin('CHAT', $request, 0, $options)->end();
    }

    public function chatStream(array|string $request, array $options = []): Stream {
        return $this->begin('CHAT', $request, 1, $options);
    }

    public function responses(array|string $request, array $options = []): Response {
        return $this->begin('RESPONSES', $request, 0, $options)->end();
    }

    public function responsesStream(array|string $request, array $options = []): Stream {
        return $this->begin('RESPONSES', $request, 1, $options);
    }

    /** Ends the calls under way; they and later ones throw what is of kind "closed". */
    public function close(): void {
        Library::call('client_close', $this->client->pointer, -1);
    }

    private function begin(string $operation, mixed $request, int $stream, array $options): Stream {
        $call = new Stream($queue = Queue::current());
        $json = \is_array($request) ? \json_encode((object) $request, JSON) : $request;
        $made = [Library::$ffi->{"MODELWIRE_OPERATION_$operation"}, $json, \strlen($json ?? '')];
        $submit = 'queue_submit';
        if ($options) {
            $request = new Handle('request', ...$made);
            $json = \json_encode($options, JSON);
            Library::call('request_set_options', $request->pointer, $json, \strlen($json));
            [$submit, $made] = ['queue_submit_request', [$request->pointer]];
        }
        $made = [$queue->pointer, $this->client->pointer, ...$made, $stream, $call->tag];
        Library::call($submit, ...$made);
        return $call;
    }
}

/** The chunks of a call. Who leaves the loop over it early, or drops it, ends the call. */
final class Stream implements \IteratorAggregate {
    /** How the stream ended, and what it used; null before. */
    public ?Response $response = null;
    public readonly int $tag;
    private readonly \SplQueue $events;

    public function __construct(private readonly Queue $queue) {
        $this->tag = ++$queue->last;
        $queue->calls[$this->tag] = $this->events = new \SplQueue();
    }

    public function getIterator(): \Generator {
        try {
            while ($chunk = $this->next()) {
                yield $chunk;
            }
        } finally {
            $this->cancel();
        }
    }

    /** The next chunk; null at the end. */
    public function next(): ?Chunk {
        while ($this->events->isEmpty()) {
            $this->queue->wait($this->tag);
        }
        $event = $this->events->dequeue();
        if ($event instanceof Chunk) {
            if (\count($this->events) === Queue::RESUME_AT) {
                Library::$ffi->modelwire_queue_resume($this->queue->pointer, $this->tag);
            }
            return $event;
        }
        $this->events->enqueue($event); // who asks again hears the same
        $this->response = $event instanceof Response ? $event : throw new Exception($event->json());
        return null;
    }

    /** Reads what is left; how the stream ended. */
    public function end(): Response {
        while ($this->next());
        return $this->response;
    }

    /** Ends the call now, also while another task waits for it. */
    public function cancel(): void {
        Library::$ffi->modelwire_queue_cancel($this->queue->pointer, $this->tag);
    }

    public function __destruct() {
        unset($this->queue->calls[$this->tag]);
        $this->cancel();
    }

    private function __clone() {}
}

/** What came. The text is there; the rest is read when it is asked for. */
class Event {
    public readonly string $text;

    public function __construct(private readonly CData $event) {
        $text = (Library::$text)($event, Library::$lengthPointer);
        $this->text = FFI::string($text, Library::$length->cdata);
    }

    /** As the service sent it. */
    public function json(): string {
        return Library::$ffi->modelwire_event_json($this->event, null);
    }

    /** The same, parsed; null where there is none. */
    public function document(): ?array {
        return $this->json() === '' ? null : \json_decode($this->json(), true, 512, JSON);
    }

    /** What the library knows, the same of chats and responses: modelwire_event_info lists it. */
    public function info(): array {
        $info = Library::$ffi->modelwire_event_info($this->event);
        return \json_decode(Library::$ffi->modelwire_value_json($info, '', 0, null), true, 512, JSON);
    }

    /** The name of the server-sent event. */
    public function name(): string {
        return Library::$ffi->modelwire_event_name($this->event, null);
    }

    public function __destruct() {
        Library::$ffi->modelwire_event_free($this->event);
    }

    private function __clone() {}
}

final class Chunk extends Event {}

final class Response extends Event {}

/** All that is known of a failure, by name: modelwire_error_json in modelwire.h lists it. */
final class Exception extends \RuntimeException {
    private readonly array $known;

    public function __construct(public readonly string $json) {
        $this->known = \json_decode($json, true, 512, JSON);
        parent::__construct("{$this->kind}: {$this->known['message']} Hint: {$this->hint}");
    }

    /** Also the service's `message` and `code`, where PHP's own are hidden. */
    public function __get(string $name): mixed {
        return $this->known[$name];
    }

    public function __isset(string $name): bool {
        return isset($this->known[$name]);
    }
}

/**
 * Runs functions at once on this thread, each in a fiber of its own: while one waits for a call, or
 * suspends itself, the others go on. An exception of one ends all. Gives what they return, by key.
 */
function run(iterable $tasks): array {
    $fibers = $results = [];
    $queue = Queue::current();
    foreach ($tasks as $key => $task) {
        $fibers[$key] = new \Fiber(static function () use ($key, $task, &$fibers, &$results): void {
            $results[$key] = $task();
            unset($fibers[$key]);
        });
        $queue->tasks[$fibers[$key]] = \WeakReference::create($fibers[$key]);
        $queue->ready->enqueue($queue->tasks[$fibers[$key]]);
    }
    while ($fibers) {
        $queue->step();
    }
    return $results;
}

/** How many calls of this process, of any client, are not over. */
function unfinished(): int {
    while (Queue::current()->take(0));
    return Library::$ffi->modelwire_queue_count(Queue::current()->pointer);
}

/**
 * Hands the log of the library, while calls wait, to a function that takes what `log` of a PSR-3
 * logger takes: Modelwire\log('info', $logger->log(...)). The levels are those of modelwire.h.
 */
function log(string $level, ?callable $write = null): void {
    Queue::current()->log(Library::$ffi->{'MODELWIRE_LOG_' . \strtoupper($level)}, $write);
}

/** What the library makes, freed with this object. @internal */
class Handle {
    public ?CData $pointer;

    public function __construct(private string $type, mixed ...$arguments) {
        Library::load();
        $this->pointer = Library::$ffi->new("modelwire_$type *");
        Library::call("{$type}_new", ...[...$arguments, FFI::addr($this->pointer)]);
        Library::$handles[$this] = true;
    }

    public function __destruct() {
        Library::$ffi->{"modelwire_{$this->type}_free"}($this->pointer);
        $this->pointer = null;
    }

    private function __clone() {}
}

/** One queue has the events of all calls of a process. @internal */
final class Queue extends Handle {
    private const AT_ONCE = 64, PAUSE_AT = 128;
    public const RESUME_AT = 32;
    /** By the kind of an event, MODELWIRE_EVENT_... */
    private const CLASSES = [1 => Chunk::class, 2 => Response::class, 3 => Event::class, 4 => Event::class];
    private static ?self $current = null;

    public int $last = 0;
    /** @var array<int, \SplQueue> the events of each call by its tag; of the log by 0 */
    public array $calls;
    /** @var array<int, \WeakReference> the task that waits for each call */
    private array $waiting = [];
    /** The tasks that may go on. */
    public \SplQueue $ready;
    public \WeakMap $tasks;
    private CData $taken, $count, $countPointer;
    private static ?\Closure $write = null;
    private int $process;

    public static function current(): self {
        if (self::$current?->process !== \getmypid()) {
            self::$current = new self(); // also in a forked child: it has its own
        }
        return self::$current;
    }

    private function __construct() {
        parent::__construct('queue', 1);  
        $this->process = \getmypid();
        $this->taken = Library::$ffi->new('modelwire_event *[' . self::AT_ONCE . ']');
        $this->count = Library::$ffi->new('size_t');
        $this->countPointer = FFI::addr($this->count);
        $this->calls = [new \SplQueue()];
        $this->ready = new \SplQueue();
        $this->tasks = new \WeakMap();
    }

    public function log(int $level, ?callable $write): void {
        self::$write = $write ? $write(...) : null;
        Library::call('queue_log', $this->pointer, $level, 0);
    }

    /** Waits for an event of a call. A task lets the others go on meanwhile. */
    public function wait(int $tag): void {
        $fiber = \Fiber::getCurrent();
        if (!$fiber || !isset($this->tasks[$fiber])) {
            $this->take(-1);
            return;
        }
        $this->waiting[$tag] = $this->tasks[$fiber];
        \Fiber::suspend($this);
    }

    /** Takes events, and lets the tasks go on that may. */
    public function step(): void {
        $this->take($this->ready->isEmpty() ? -1 : 0);
        for ($left = \count($this->ready); $left > 0 && !$this->ready->isEmpty(); $left--) {
            $fiber = $this->ready->dequeue()->get();
            $waits = $fiber?->isStarted() ? $fiber->resume() : $fiber?->start();
            if ($waits !== $this && $fiber?->isSuspended()) {
                $this->ready->enqueue($this->tasks[$fiber]);
            }
        }
    }

    /** Takes the events that are there, and waits for the first. Whether there was one. */
    public function take(int $timeout): bool {
        // Handlers of signals may throw: they wait until each event is where it belongs.
        $async = \function_exists('pcntl_async_signals') && \pcntl_async_signals(false);
        $ffi = Library::$ffi;
        [$queue, $taken] = [$this->pointer, $this->taken];
        $status = $ffi->modelwire_queue_take($queue, $timeout, $taken, self::AT_ONCE, $this->countPointer);
        for ($index = 0, $count = $this->count->cdata; $index < $count; $index++) {
            $event = $taken[$index];
            $class = self::CLASSES[$ffi->modelwire_event_kind($event)] ?? null;
            $tag = $ffi->modelwire_event_tag($event);
            if (!$class || !isset($this->calls[$tag])) {
                $ffi->modelwire_event_free($event);
                continue;
            }
            $this->calls[$tag]->enqueue(new $class($event));
            if (isset($this->waiting[$tag])) {
                $this->ready->enqueue($this->waiting[$tag]);
                unset($this->waiting[$tag]);
            }
            if (\count($this->calls[$tag]) === self::PAUSE_AT) {
                $ffi->modelwire_queue_pause($queue, $tag);
            }
        }
        if ($async) {
            \pcntl_async_signals(true);
            \pcntl_signal_dispatch();
        }
        if ($status === $ffi->MODELWIRE_E_FORKED) {
            Library::call('queue_log', $queue, 0, 0); // fails, and says why
        }
        while (!$this->calls[0]->isEmpty()) {
            $record = $this->calls[0]->dequeue()->document();
            $level = ['warn' => 'warning', 'trace' => 'debug'][$record['level']] ?? $record['level'];
            (self::$write)($level, $record['message'], $record);
        }
        return $count > 0;
    }
}

/** The C library. @internal */
final class Library {
    public static ?FFI $ffi = null;
    /** @var \WeakMap<Handle, true> */
    public static \WeakMap $handles;
    public static CData $text, $length, $lengthPointer;

    public static function load(): void {
        if (self::$ffi) {
            return;
        }
        try {
            self::$ffi = FFI::scope('modelwire'); // of preload.php
        } catch (FFI\Exception) {
            self::$ffi = FFI::cdef(self::declarations(), self::file());
        }
        self::$handles = new \WeakMap();
        self::$length = self::$ffi->new('size_t');
        self::$lengthPointer = FFI::addr(self::$length);
        // PHP ends what is a `const char *` at the first NUL.
        $type = 'char *(*)(const modelwire_event *, size_t *)';
        self::$text = self::$ffi->cast($type, self::$ffi->modelwire_event_text);
        \register_shutdown_function(static function (): void {
            if ((\error_get_last()['type'] ?? 0) === \E_ERROR) { // PHP runs no destructors then
                foreach (self::$handles as $handle => $_) {
                    $handle->__destruct();
                }
            }
        });
    }

    public static function file(): string {
        return \getenv('MODELWIRE_LIBRARY') ?: 'libmodelwire.so.0.1';
    }

    public static function declarations(): string {
        $beside = __DIR__ . '/modelwire.ffi.h';
        $beside = \is_file($beside) ? $beside : \dirname(__DIR__, 3) . '/include/modelwire.ffi.h';
        return \file_get_contents($beside);
    }

    /** Calls a function whose last parameter is the place of an error. */
    public static function call(string $function, mixed ...$arguments): void {
        $error = self::$ffi->new('modelwire_error *');
        $arguments[] = FFI::addr($error);
        if (self::$ffi->{"modelwire_$function"}(...$arguments) < 0) {
            $json = self::$ffi->modelwire_error_json($error, null);
            self::$ffi->modelwire_error_free($error);
            throw new Exception($json);
        }
    }
}
