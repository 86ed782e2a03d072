<?php

/*
 * modelwire for PHP, tried with 8.2: chats, responses and lists of models, whole or as streams.
 * Copy it with Tasks.php and include/modelwire.ffi.h beside it. It needs PHP's extension FFI
 * (Debian: php-cli) and libmodelwire.so.0.1, where the loader finds it or as MODELWIRE_LIBRARY in
 * the environment says. In a web server, where a client lives as long as a request, this file is
 * preloaded, and Tasks.php by it; pages then load neither: ffi.enable=preload,
 * opcache.preload=/path/to/Modelwire.php, opcache.preload_user=www-data.
 *
 *     MODELWIRE_BASE_URL=https://host/v1 MODELWIRE_API_KEY=... php example.php MODEL "Say hello."
 *
 * A call waits; in Modelwire\run other tasks go on meanwhile. Where pcntl_async_signals is on,
 * handlers of signals run while it waits, and one that throws ends the call.
 */

declare(strict_types=1);

namespace Modelwire;

use FFI;

require_once __DIR__ . '/Tasks.php';

/** A client of one service. Requests are arrays or JSON text; options stand in docs/options.md. */
final class Client {
    private readonly Handle $client;

    public function __construct(array $options = []) {
        $this->client = new Handle('client', ...Core::text($options));
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
    public function close(): void { Core::call('client_close', $this->client->pointer, -1); }

    private function __clone() {}
    private function begin(string $operation, mixed $json, int $streamed, array $options): Stream {
        $stream = new Stream($queue = Core::queue());
        $operation = Core::$ffi->{"MODELWIRE_OPERATION_$operation"};
        $request = new Handle('request', $operation, ...Core::text($json));
        if ($options) Core::call('request_set_options', $request->pointer, ...Core::text($options));
        $handles = [$queue->pointer, $this->client->pointer, $request->pointer];
        Core::call('queue_submit_request', ...[...$handles, $streamed, $stream->tag]);
        return $stream;
    }
}

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

/** What came. The text is there; the rest is read when it is asked for. */
class Event {
    public function __construct(public readonly string $text, private readonly FFI\CData $event) {}
    /** As the service sent it. */
    public function json(): string { return Core::$ffi->modelwire_event_json($this->event, null); }
    /** The same, parsed; null where there is none. */
    public function document(): ?array { return \json_decode($this->json(), true); }
    /** What the library knows, the same of chats and responses: modelwire_event_info lists it. */
    public function info(): array {
        $info = Core::$ffi->modelwire_event_info($this->event);
        return \json_decode(Core::$ffi->modelwire_value_json($info, '', 0, null), true);
    }
    /** The name of the server-sent event. */
    public function name(): string { return Core::$ffi->modelwire_event_name($this->event, null); }
    public function __destruct() { Core::$ffi->modelwire_event_free($this->event); }
    private function __clone() {}
}
final class Chunk extends Event {}
final class Response extends Event {}

/** All that is known of a failure, by name: modelwire_error_json in modelwire.h lists it. */
final class Exception extends \RuntimeException {
    private readonly array $known;

    public function __construct(public readonly string $json) {
        $this->known = \json_decode($json, true);
        $hint = $this->hint ? " Hint: {$this->hint}" : '';
        parent::__construct("{$this->kind}: {$this->known['message']}$hint");
    }
    /** Of `message` and `code` too, since PHP hides its own members of these names. */
    public function __get(string $name): mixed { return $this->known[$name]; }
    public function __isset(string $name): bool { return isset($this->known[$name]); }
}

/** How many calls of this process, of any client, are not over. */
function unfinished(): int {
    while (Core::take(Core::queue(), 0));
    return Core::$ffi->modelwire_queue_count(Core::queue()->pointer);
}

/**
 * Hands the log of the library, while calls wait, to a function that takes what `log` of a PSR-3
 * logger takes: Modelwire\log('info', $logger->log(...)). Levels are those of PSR-3, 'trace' and
 * 'off'. What the function throws goes to PHP's error log, since the call has its own answer.
 */
function log(string $level, ?callable $write = null): void {
    $number = Core::LEVELS[\strtolower($level)] ?? throw new \ValueError(
        "the log has no level \"$level\", but " . \implode(', ', \array_keys(Core::LEVELS)));
    Core::$log = [$number, $write ?? static fn () => null];
    Core::log(Core::queue());
}

/** What came of one call and was not read, and the task that waits for it. @internal */
final class Call {
    public array $chunks = [];
    public ?Event $last = null;
    public ?\WeakReference $task = null;
}

/** What the library makes, freed with this object. @internal */
final class Handle {
    public ?FFI\CData $pointer;

    public function __construct(private readonly string $type, mixed ...$arguments) {
        $this->pointer = Core::load()->new("modelwire_$type *");
        Core::call("{$type}_new", ...[...$arguments, FFI::addr($this->pointer)]);
        Core::$handles[$this] = true;
    }
    public function __destruct() {
        Core::$ffi->{"modelwire_{$this->type}_free"}($this->pointer);
        $this->pointer = null;
    }
    private function __clone() {}
}

/** The C library, and the queue that has the events of all calls of a process. @internal */
final class Core {
    public const PAUSE_AT = 128;
    private const AT_ONCE = 64, CHUNK = 1, RESPONSE = 2, ERROR = 3, LOG = 4; // MODELWIRE_EVENT_...
    /** Of the log, MODELWIRE_LOG_...: the library knows fewer than PSR-3. */
    public const LEVELS = ['off' => 0, 'emergency' => 1, 'alert' => 1, 'critical' => 1,
        'error' => 1, 'warning' => 2, 'notice' => 2, 'info' => 3, 'debug' => 4, 'trace' => 5];
    public static ?FFI $ffi = null;
    public static \WeakMap $handles;
    /** @var array<int, Call> by tag, the last of which was: */
    public static array $calls = [];
    public static int $last = 0;
    /** Level and function of the log; its records that are to be written. */
    public static array $log = [0, null], $records = [];
    private static ?Handle $queue = null;
    private static int $process = 0, $flags = 0;
    private static FFI\CData $taken, $count, $length, $text, $error;

    public static function load(): FFI {
        if (self::$ffi) return self::$ffi;
        $headers = [__DIR__ . '/modelwire.ffi.h', __DIR__ . '/../../../include/modelwire.ffi.h'];
        $found = \array_filter($headers, \is_file(...))
            ?: throw new \RuntimeException("$headers[0] is missing; modelwire has it in include");
        $library = \getenv('MODELWIRE_LIBRARY') ?: 'libmodelwire.so.0.1';
        try {
            self::$ffi = $ffi = FFI::cdef(\file_get_contents(\reset($found)), $library);
        } catch (FFI\Exception $cause) {
            throw new \RuntimeException("{$cause->getMessage()}: modelwire cannot use $library; "
                . 'MODELWIRE_LIBRARY in the environment is the path of libmodelwire.so.0.1');
        }
        self::$handles = new \WeakMap();
        self::$taken = $ffi->new('modelwire_event *[' . self::AT_ONCE . ']');
        self::$error = $ffi->new('modelwire_error *[1]');
        [self::$count, self::$length] = [$ffi->new('size_t[1]'), $ffi->new('size_t[1]')];
        $type = 'char *(*)(const modelwire_event *, size_t *)';
        self::$text = $ffi->cast($type, $ffi->modelwire_event_text);
        \register_shutdown_function(static function (): void {
            // PHP runs no destructors after a fatal error.
            if ((\error_get_last()['type'] ?? 0) !== \E_ERROR) return;
            foreach (self::$handles as $handle => $_) $handle->__destruct();
        });
        return $ffi;
    }

    /** Calls a function whose last parameter is the place of an error. */
    public static function call(string $function, mixed ...$arguments): void {
        if (self::$ffi->{"modelwire_$function"}(...[...$arguments, self::$error]) >= 0) return;
        $json = self::$ffi->modelwire_error_json(self::$error[0], null);
        self::$ffi->modelwire_error_free(self::$error[0]);
        throw new Exception($json);
    }

    /** Two arguments: a JSON text and its length. */
    public static function text(array|string|null $value): array {
        $flags = \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_UNICODE;
        $text = \is_array($value) ? \json_encode((object) $value, $flags) : $value;
        return [$text, \strlen($text ?? '')];
    }

    /** A forked child needs a queue of its own; one that signals interrupt is dearer. */
    public static function queue(): Handle {
        $flags = (int) (\function_exists('pcntl_async_signals') && \pcntl_async_signals());
        if (self::$process !== \getmypid() || $flags > self::$flags && !self::$calls) {
            [self::$process, self::$flags] = [\getmypid(), $flags]; // MODELWIRE_INTERRUPTIBLE is 1
            self::log(self::$queue = new Handle('queue', $flags));
        }
        return self::$queue;
    }
    public static function log(Handle $queue): void {
        self::call('queue_log', $queue->pointer, self::$log[0], 0);
    }

    /** Takes the events that are there, and waits for the first. Whether there was one. */
    public static function take(Handle $queue, int $timeout): bool {
        // Handlers of signals may throw: they wait until each event is where it belongs.
        $async = \function_exists('pcntl_async_signals') && \pcntl_async_signals(false);
        [$ffi, $pointer, $nobody] = [self::$ffi, $queue->pointer, new Call()];
        [$taken, $counted, $length] = [self::$taken, self::$count, self::$length];
        $status = $ffi->modelwire_queue_take($pointer, $timeout, $taken, self::AT_ONCE, $counted);
        for ($index = 0, $count = $counted[0]; $index < $count; $index++) {
            $event = $taken[$index];
            $tag = $ffi->modelwire_event_tag($event);
            $call = self::$calls[$tag] ?? $nobody;
            $text = $ffi->modelwire_event_text($event, $length);
            if (\strlen($text) !== $length[0]) { // PHP ended it at a NUL
                $text = FFI::string((self::$text)($event, $length), $length[0]);
            }
            match ($ffi->modelwire_event_kind($event)) {
                self::CHUNK => $call->chunks[] = new Chunk($text, $event),
                self::RESPONSE => $call->last = new Response($text, $event),
                self::ERROR => $call->last = new Event($text, $event),
                self::LOG => self::$records[] = new Event($text, $event),
                default => $ffi->modelwire_event_free($event),
            };
            if ($call->task) [Tasks::$ready[], $call->task] = [$call->task, null];
            if ($call->last) unset(self::$calls[$tag]);
            if (\count($call->chunks) === self::PAUSE_AT) {
                $ffi->modelwire_queue_pause($pointer, $tag);
            }
        }
        while ($record = \array_shift(self::$records)) {
            $known = $record->document();
            $level = ['warn' => 'warning', 'trace' => 'debug'][$known['level']] ?? $known['level'];
            try {
                (self::$log[1])($level, $record->text, $known);
            } catch (\Throwable $thrown) {
                \error_log("the function that modelwire's log goes to threw $thrown");
            }
        }
        if ($async) {
            \pcntl_async_signals(true);
            \pcntl_signal_dispatch();
        }
        if ($status === $ffi->MODELWIRE_E_FORKED) self::log($queue); // which says so
        return $count > 0;
    }
}
