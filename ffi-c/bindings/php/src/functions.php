<?php

/* What is no class; bootstrap.php loads it once. */

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

/** How many calls of this process, of any client, are not over. */
function unfinished(): int {
    while (Core::take(Core::queue(), 0));
    return Core::$ffi->modelwire_queue_count(Core::queue()->pointer);
}

/**
 * Hands the log of the library, while calls wait, to a PSR-3 logger, or to a function that takes
 * what `log` of one takes: Modelwire\log('info', $logger). Levels are those of PSR-3, 'trace' and
 * 'off'. What the function throws goes to PHP's error log, since the call has its own answer.
 */
function log(string $level, callable|\Psr\Log\LoggerInterface|null $write = null): void {
    $number = Core::LEVELS[\strtolower($level)] ?? throw new \ValueError(
        "the log has no level \"$level\", but " . \implode(', ', \array_keys(Core::LEVELS)));
    if ($write instanceof \Psr\Log\LoggerInterface) $write = $write->log(...);
    Core::$log = [$number, $write ?? static fn () => null];
    Core::log(Core::queue());
}
