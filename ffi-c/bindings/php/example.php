<?php

// A streamed chat: php example.php MODEL TEXT. Base URL and key come from the environment.

require __DIR__ . '/Modelwire.php';

[, $model, $text] = $argv;
try {
    $client = new Modelwire\Client();
    $request = ['model' => $model, 'messages' => [['role' => 'user', 'content' => $text]]];
    foreach ($stream = $client->chatStream($request) as $chunk) {
        echo $chunk->text;
    }
    echo "\n({$stream->response->info()['finish_reason']})\n";
} catch (Modelwire\Exception $failure) {
    fwrite(STDERR, $failure->getMessage() . "\n");
    exit(1);
}
