<?php

// A streamed chat: php example.php MODEL TEXT. Base URL and key come from the environment.

require_once __DIR__ . '/vendor/autoload.php';

if ($argc !== 3) {
    fwrite(STDERR, "usage: php example.php MODEL TEXT\n");
    exit(1);
}
[, $model, $text] = $argv;
try {
    $client = new Modelwire\Client();
    $request = ['model' => $model, 'messages' => [['role' => 'user', 'content' => $text]]];
    // Gathered, the end knows the finish reason too.
    foreach ($stream = $client->chatStream($request, ['gather' => true]) as $chunk) {
        echo $chunk->text;
    }
    echo "\n({$stream->response->info()['finish_reason']})\n";
} catch (Modelwire\Exception $failure) {
    fwrite(STDERR, $failure->getMessage() . "\n");
    exit(1);
}
