<?php

declare(strict_types=1);

namespace Modelwire;

/** The tasks of all that run. @internal */
final class Tasks {
    /** Those that can go on: weak references, since a task ends with the run that has it. */
    public static array $ready = [];
    private static ?\WeakMap $all = null;

    public static function add(\Fiber $fiber, mixed ...$arguments): void {
        self::$all ??= new \WeakMap();
        self::$all[$fiber] = \WeakReference::create($fiber);
        self::suspended($fiber, $fiber->start(...$arguments));
    }

    /** Each of those that can go on now has its turn; one that yields waits for its next. */
    public static function resume(): void {
        for ($count = \count(self::$ready); $count > 0 && self::$ready; $count--) {
            $fiber = \array_shift(self::$ready)->get();
            if ($fiber?->isSuspended()) self::suspended($fiber, $fiber->resume());
        }
    }

    /** Waits for an event of a call. A task lets the others go on meanwhile. */
    public static function wait(Handle $queue, Call $call): void {
        // No variable has the fiber, or it would keep itself.
        $task = self::$all[\Fiber::getCurrent() ?? $queue] ?? null;
        $call->task = $queue === Core::queue() ? $task : null;
        $call->task ? \Fiber::suspend($call) : Core::take($queue, -1);
    }

    /** A task that gave no call has suspended itself, and can go on. */
    private static function suspended(\Fiber $fiber, mixed $gave): void {
        if ($gave instanceof Call || $fiber->isTerminated()) return;
        self::$ready[] = self::$all[$fiber];
    }
}
