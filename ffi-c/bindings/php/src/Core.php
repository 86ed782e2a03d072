<?php

declare(strict_types=1);

namespace Modelwire;

use FFI;

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
        $headers = [\dirname(__DIR__) . '/modelwire.ffi.h',
            \dirname(__DIR__, 4) . '/include/modelwire.ffi.h'];
        $found = \array_filter($headers, \is_file(...))
            ?: throw new \RuntimeException("$headers[0] is missing; modelwire has it in include");
        $declarations = \file_get_contents(\reset($found));
        $reasons = [];
        foreach ($libraries = self::libraries() as $library) {
            try {
                self::$ffi = $ffi = FFI::cdef($declarations, $library);
                break;
            } catch (FFI\Exception $cause) {
                $reasons[$cause->getMessage()] = true;
            }
        }
        self::$ffi ?? throw new \RuntimeException(\implode('; ', \array_keys($reasons))
            . ': modelwire cannot use ' . \implode(' or ', $libraries)
            . '; MODELWIRE_LIBRARY in the environment is the path of libmodelwire.so.0.1');
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

    /**
     * The path in the environment; else those of the package, and what the loader finds. A library
     * for glibc may load with musl, and then fail; one for musl never loads with glibc.
     */
    private static function libraries(): array {
        if ($path = \getenv('MODELWIRE_LIBRARY')) return [$path];
        $machine = \str_replace('aarch64', 'arm64', \php_uname('m'));
        $platform = \strtolower(\PHP_OS_FAMILY) . "-$machine";
        $folder = \dirname(__DIR__) . "/native/$platform";
        $packed = ["$folder-musl/libmodelwire.so", "$folder/libmodelwire.so"];
        return [...\array_filter($packed, \is_file(...)), 'libmodelwire.so.0.1'];
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
