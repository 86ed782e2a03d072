<?php

/*
 * One PHP client of the benchmark at one work: measure.php CLIENT WORK BASE_URL OPERATIONS AT_ONCE.
 * Prints what it received, with the CPU and wall time of all of it, as one line of JSON.
 */

declare(strict_types=1);

const KEY = 'sk-test';
const REQUEST = ['model' => 'bench', 'messages' => [['role' => 'user', 'content' => 'hello']]];

/** CPU time of the whole process, in microseconds. */
function cpu_us(): int
{
    $used = getrusage();
    return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1_000_000
        + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}

[, $name, $work, $base_url, $operations] = $argv;
require __DIR__ . "/$name.php";

[$cpu, $wall] = [cpu_us(), hrtime(true)];
[$events, $text_bytes] = $work($base_url, (int) $operations);
echo json_encode([
    'cpu_us' => cpu_us() - $cpu,
    'wall_us' => (hrtime(true) - $wall) / 1000,
    'events' => $events,
    'text_bytes' => $text_bytes,
]), "\n";
