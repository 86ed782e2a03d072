<?php

/*
 * What PHP programs do without a client library: ext-curl with one handle, so that its connection
 * is kept, and json_decode. Both works give how many events came, and how many bytes of text.
 */

declare(strict_types=1);

function handle(string $base_url, array $request): CurlHandle
{
    $handle = curl_init("$base_url/chat/completions");
    curl_setopt_array($handle, [
        CURLOPT_HTTPHEADER => ['authorization: Bearer ' . KEY, 'content-type: application/json'],
        CURLOPT_POSTFIELDS => json_encode($request),
        CURLOPT_FAILONERROR => true,
    ]);
    return $handle;
}

function chat(string $base_url, int $operations): array
{
    $handle = handle($base_url, REQUEST);
    curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
    $text_bytes = 0;
    for ($done = 0; $done < $operations; $done++) {
        curl_setopt($handle, CURLOPT_POSTFIELDS, json_encode(REQUEST));
        $body = curl_exec($handle);
        is_string($body) || exit(curl_error($handle));
        $text_bytes += strlen(json_decode($body, true)['choices'][0]['message']['content']);
    }
    return [$operations, $text_bytes];
}

function stream(string $base_url, int $operations): array
{
    $events = $text_bytes = 0;
    $rest = '';
    $read = function (CurlHandle $_, string $bytes) use (&$rest, &$events, &$text_bytes): int {
        $lines = explode("\n", $rest . $bytes);
        $rest = array_pop($lines);
        foreach ($lines as $line) {
            if (str_starts_with($line, 'data: {')) {
                $event = json_decode(substr($line, 6), true);
                $events++;
                $text_bytes += strlen($event['choices'][0]['delta']['content'] ?? '');
            }
        }
        return strlen($bytes);
    };
    $handle = handle($base_url, [...REQUEST, 'stream' => true]);
    curl_setopt($handle, CURLOPT_WRITEFUNCTION, $read);
    curl_exec($handle) || exit(curl_error($handle));
    return [$events, $text_bytes];
}
