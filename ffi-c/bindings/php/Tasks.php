<?php

/* Functions that run at once: a part of Modelwire.php, which loads it. */

declare(strict_types=1);

namespace Modelwire;

/**
 * Runs functions at once on this thread, each in a fiber of its own: while one waits for a call,
 * the others go on, and so they do when one calls Fiber::suspend(). An exception of one ends all.
 * Gives what they return, by their keys.
 */
function run(iterable $tasks): array {
    $fibers = $results = $failures = [];
    $start = static function (mixed $key, callable $task) use (&$fibers, &$results, &$failures) {
        try {
            $results[$key] = $task();
        } catch (\Throwable $failure) {
            // Not thrown through whoever resumes this: it may be a task of another run.
            $failures[] = $failure;
        } finally {
            unset($fibers[$key]);
        }
    };
    try {
        foreach ($tasks as $key => $task) {
            $results[$key] = null;
            $fibers[$key] = $fiber = new \Fiber($start);
            Tasks::add($fiber, $key, $task);
            if ($failures) break;
        }
        while ($fibers && !$failures) {
            Core::take(Core::queue(), Tasks::$ready ? 0 : -1);
            Tasks::resume();
        }
    } finally {
        $fibers = [];
    }
    return $failures ? throw $failures[0] : $results;
}

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
