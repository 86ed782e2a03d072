<?php

/* The binding. Both works give how many events came, and how many bytes of text were in them. */

declare(strict_types=1);

require dirname(__DIR__, 4) . '/ffi-c/bindings/php/preload.php';

function chat(string $base_url, int $operations): array
{
    $client = new Modelwire\Client(['base_url' => $base_url, 'api_key' => KEY]);
    $text_bytes = 0;
    for ($done = 0; $done < $operations; $done++) {
        $text_bytes += strlen($client->chat(REQUEST)->text);
    }
    return [$operations, $text_bytes];
}

function stream(string $base_url, int $operations): array
{
    $client = new Modelwire\Client(['base_url' => $base_url, 'api_key' => KEY]);
    $events = $text_bytes = 0;
    foreach ($client->chatStream(REQUEST) as $chunk) {
        $events++;
        $text_bytes += strlen($chunk->text);
    }
    return [$events, $text_bytes];
}
