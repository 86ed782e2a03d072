<?php

/* What the web server of the scenario "server" answers. The binding was preloaded at its start. */

declare(strict_types=1);

require __DIR__ . '/vendor/autoload.php';

parse_str($_SERVER['QUERY_STRING'] ?? '', $query);
$client = new Modelwire\Client();
$messages = [['role' => 'user', 'content' => 'a b c']];
$request = fn (string $model) => ['model' => $model, 'messages' => $messages];
$stream = $client->chatStream($request('slow'));
$stream->next();
switch ($query['does']) {
    case 'whole':
        echo $client->chat($request('echo'))->text;
        break;
    case 'tasks':
        $task = fn () => $client->chat($request('echo'))->text;
        echo implode(' ', Modelwire\run([$task, $task]));
        break;
    case 'streamed':
        foreach ($stream as $chunk) {
            echo $chunk->text;
        }
        break;
    case 'exit':
        exit;
    case 'throw':
        throw new LogicException('of a program that does not catch it');
    case 'memory':
        ini_set('memory_limit', '8M');
        str_repeat('a', 100_000_000);
        break;
    case 'time':
        set_time_limit(1);
        while (true);
    default:
        echo count(scandir('/proc/self/fd'));
}
