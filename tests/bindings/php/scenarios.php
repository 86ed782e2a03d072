<?php

/*
 * The scenarios that every binding of modelwire passes, for PHP: php scenarios.php NAME.
 */

declare(strict_types=1);

use Modelwire\{Client, Exception as Failure, Response, Stream};

const BINDING = __DIR__ . '/vendor/modelwire/modelwire';

require __DIR__ . '/vendor/autoload.php';

const ODD_TEXT = "N\0UL, \u{1F600} \u{1F468}\u{200D}\u{1F469}, äöü ÄÖÜ ß \u{4F60}\u{597D}";
const MEMBERS = ['kind', 'message', 'hint', 'doc_url', 'http_status', 'type', 'code', 'param', 'request_id',
    'path', 'model', 'timeout', 'metered', 'body', 'partial', 'headers', 'request_time_unix_ms',
    'attempts', 'elapsed_ms', 'retry_after_ms', 'rate_limits', 'timing'];

function check(bool $holds, string $what, mixed ...$seen): void
{
    if (!$holds) {
        throw new \LogicException("$what: " . var_export($seen, true));
    }
}

function same(mixed $expected, mixed $seen, string $what): void
{
    check($expected === $seen, "$what is not what was expected", $expected, $seen);
}

/** The failure that this ends with. */
function failure(callable $does, string ...$kinds): Failure
{
    try {
        $does();
    } catch (Failure $failure) {
        check(in_array($failure->kind, $kinds, true), 'another kind', $kinds, $failure->json);
        return $failure;
    }
    throw new \LogicException('nothing failed, where this should: ' . implode(' or ', $kinds));
}

/** What is thrown by PHP's own names. */
function thrown(string $class, callable $does): \Throwable
{
    try {
        $does();
    } catch (\Throwable $thrown) {
        same($class, $thrown::class, "what is thrown ({$thrown->getMessage()})");
        return $thrown;
    }
    throw new \LogicException("nothing is thrown, where $class should be");
}

/** What a program of PHP says, and how it ends. */
function program(string ...$arguments): array
{
    $command = [PHP_BINARY, '-derror_reporting=-1', '-ddisplay_errors=stderr', ...$arguments];
    exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
    return [implode("\n", $lines), $status];
}

function chat(string $text, string $model = 'echo'): array
{
    return ['model' => $model, 'messages' => [['role' => 'user', 'content' => $text]]];
}

function text_of(Stream $stream): string
{
    $text = '';
    foreach ($stream as $chunk) {
        $text .= $chunk->text;
    }
    return $text;
}

/** The first piece of text; the stream goes on. */
function first(Stream $stream): string
{
    while (($chunk = $stream->next()) && $chunk->text === '');
    return $chunk->text ?? '';
}

function seconds(): float
{
    return hrtime(true) / 1e9;
}

function resident_mb(): float
{
    preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
    return $found[1] / 1024;
}

function descriptors(): int
{
    return count(scandir('/proc/self/fd'));
}

/** Collects garbage until no call is under way any more. */
function settle(): void
{
    for ($end = seconds() + 20; Modelwire\unfinished() > 0; usleep(10_000)) {
        gc_collect_cycles();
        check(seconds() < $end, 'calls are left', Modelwire\unfinished());
    }
}

function cue(): void
{
    echo "left\n";
    fgets(STDIN);
}

function plain(): void
{
    $client = new Client();
    $models = $client->models();
    check(in_array('echo', $models->info()['models'], true), 'no model echo', $models->json());
    $response = $client->chat(chat('plain words'));
    same('plain words', $response->text, 'the text');
    same('plain words', $response->document()['choices'][0]['message']['content'], 'the document');
    same($response->document(), json_decode($response->json(), true), 'the JSON text');
    $info = $response->info();
    check($info['usage']['total_tokens'] > 0, 'no usage', $info);
    same([200, 1], [$info['http_status'], $info['attempts']], 'status and attempts');
    $response = $client->responses(json_encode(['model' => 'echo', 'input' => 'plain words']));
    same('plain words', $response->text, 'the text of a response');
}

function streamed(): void
{
    $client = new Client();
    $stream = $client->chatStream(chat('one two three four'), ['gather' => true]);
    $texts = $deltas = $reasons = [];
    foreach ($stream as $chunk) {
        $texts[] = $chunk->text;
        $deltas[] = $chunk->document()['choices'][0]['delta']['content'] ?? '';
        $reasons[] = $chunk->info()['finish_reason'];
    }
    same('one two three four', implode('', $texts), 'the text');
    same('one two three four', implode('', $deltas), 'the text of the documents');
    check(count(array_filter($texts)) >= 2, 'too few chunks', $texts);
    same(['stop'], array_values(array_filter($reasons)), 'the finish reasons of the chunks');
    same('stop', $stream->response->info()['finish_reason'], 'the finish reason at the end');
    same('one two three four', $stream->response->text, 'the gathered text');
    same(null, $stream->next(), 'what comes after the end');

    $stream = $client->responsesStream(['model' => 'echo', 'input' => 'one two three four']);
    $text = $deltas = '';
    $names = [];
    foreach ($stream as $chunk) {
        $text .= $chunk->text;
        $names[$chunk->name()] = true;
        $is_delta = $chunk->name() === 'response.output_text.delta';
        $deltas .= $is_delta ? $chunk->document()['delta'] : '';
    }
    same(['one two three four', 'one two three four'], [$text, $deltas], 'the text of a response');
    check(isset($names['response.output_text.delta']), 'no deltas', $names);
    same(200, $stream->response->info()['http_status'], 'the status at the end');

    same(ODD_TEXT, $client->chat(chat(ODD_TEXT))->text, 'the odd text');
    same(ODD_TEXT, text_of($client->chatStream(chat(ODD_TEXT))), 'the odd text, streamed');

    $example = 'example.php';
    same(["one two\n(stop)", 0], program($example, 'echo', 'one two'), 'what the example says');
    [$says, $status] = program($example);
    same([true, 1], [str_starts_with($says, 'usage: '), $status], "what it says then: $says");
}

function missing(): void
{
    $client = new Client();
    $request = chat('hello', 'no-such-model');
    $calls = [fn () => $client->chat($request), fn () => text_of($client->chatStream($request))];
    foreach ($calls as $call) {
        $failure = failure($call, 'not_found');
        same([404, 1], [$failure->http_status, $failure->attempts], 'status and attempts');
        same('no-such-model', $failure->model, 'the model');
        $whole = $failure->getMessage();
        foreach (['kind', 'message', 'hint'] as $name) {
            check($failure->$name !== '' && str_contains($whole, $failure->$name), $name, $whole);
        }
        $known = json_decode($failure->json, true);
        same(MEMBERS, array_keys($known), 'the members');
        foreach ($known as $name => $value) {
            same($value, $failure->$name, $name);
            same($value !== null, isset($failure->$name), "isset of $name");
        }
    }
    $failure = new Failure('{"kind": "closed", "message": "It is closed.", "hint": ""}');
    same('closed: It is closed.', $failure->getMessage(), 'the text of a failure without a hint');
}

function no_key(): void
{
    putenv('MODELWIRE_API_KEY');
    $text = failure(fn () => new Client(), 'config')->getMessage();
    check(stripos($text, 'key') !== false, 'no word of the key', $text);
    incomplete();
}

/** What somebody hears who forgot a part of the binding. */
function incomplete(): void
{
    $folder = sys_get_temp_dir() . '/modelwire-php-' . getmypid();
    mkdir($folder);
    try {
        foreach (['preload.php', 'src'] as $name) {
            exec("cp -r '" . BINDING . "/$name' '$folder'");
        }
        [$says] = program('-r', "require '$folder/preload.php'; new Modelwire\\Client();");
        check(str_contains($says, "$folder/modelwire.ffi.h is missing"), 'the header', $says);
        check(!str_contains($says, 'Warning'), 'a warning', $says);
    } finally {
        exec("rm -r '$folder'");
    }
    putenv('MODELWIRE_LIBRARY=/missing/libmodelwire.so');
    [$says] = program('-r', "require 'vendor/autoload.php'; new Modelwire\\Client();");
    foreach (['RuntimeException', '/missing/libmodelwire.so', 'MODELWIRE_LIBRARY'] as $word) {
        check(str_contains($says, $word), "no $word", $says);
    }
    putenv('MODELWIRE_LIBRARY');
    [$says] = program('example.php');
    check(str_starts_with($says, 'usage: '), 'the example', $says);
}

function wrong_request(): void
{
    $client = new Client();
    foreach ([['model' => 'echo'], ['model' => 'echo', 'messages' => 'hello']] as $request) {
        foreach ([[], ['total_timeout_ms' => 5000]] as $options) {
            $failure = failure(fn () => $client->chat($request, $options), 'argument');
            check(str_contains($failure->message, 'messages'), 'no field', $failure->json);
            same('not_sent', $failure->metered, 'whether it was sent');
        }
    }
    same(0, Modelwire\unfinished(), 'what is left');
}

function options(): void
{
    $client = new Client();
    $options = ['total_timeout_ms' => 10_000, 'headers' => ['x-test' => 'a']];
    same('hello', $client->chat(chat('hello'), $options)->text, 'the text');
    $slow = fn () => text_of($client->chatStream(chat('a b c', 'slow'), ['total_timeout_ms' => 1]));
    same('total_timeout', failure($slow, 'timeout')->timeout, 'the timeout');
    $unknown = fn () => $client->chat(chat('hello'), ['total_timeout' => 1]);
    $failure = failure($unknown, 'argument');
    check(str_contains($failure->message, 'total_timeout'), 'not named', $failure->json);
    $urls = [['url' => getenv('MODELWIRE_BASE_URL'), 'weight' => 2], 'http://127.0.0.1:1/v1'];
    same('x', (new Client(['base_urls' => $urls]))->chat(chat('x'))->text, 'of the first service');
    $failure = failure(fn () => new Client(['bace_url' => 'x']), 'config');
    check(str_contains($failure->message, 'bace_url'), 'not named', $failure->json);
}

function cut(): void
{
    $stream = (new Client())->chatStream(chat('hello'));
    same('half ', first($stream), 'the text before the cut');
    failure(fn () => $stream->end(), 'incomplete', 'disconnected');
    failure(fn () => $stream->next(), 'incomplete', 'disconnected');
}

function cancel(): void
{
    $client = new Client();
    $stream = $client->chatStream(chat('hello'));
    same('one ', first($stream), 'the text before');
    $begin = seconds();
    Modelwire\run([
        fn () => failure(fn () => $stream->next(), 'cancelled'),
        fn () => $stream->cancel(),
    ]);
    check(seconds() - $begin < 20, 'it took too long');
    $second = $client->chatStream(chat('hello'));
    foreach ($second as $chunk) {
        if ($chunk->text === 'one ') {
            break;
        }
    }
    cue();
}

function slow_reader(): void
{
    $client = new Client();
    $slow = $client->chatStream(chat('hello'));
    same(1000, strlen(first($slow)), 'the text of a chunk');
    $before = resident_mb();
    foreach (range(1, 20) as $_) {
        same(20_000, strlen(text_of($client->chatStream(chat('hello')))), 'the text of another');
    }
    check(resident_mb() - $before < 40, 'too much memory', $before, resident_mb());
    $bytes = 1000;
    foreach ($slow as $chunk) {
        $bytes += strlen($chunk->text);
    }
    same(64_000_000, $bytes, 'all of the text');
    check(resident_mb() - $before < 40, 'too much memory at the end', $before, resident_mb());
}

function many(): void
{
    $client = new Client(['connections_max' => 1100]);
    foreach ([100, 1000] as $count) {
        $tasks = [];
        for ($number = 0; $number < $count; $number++) {
            $request = chat("stream $number", 'slow');
            $tasks[$number] = fn () => text_of($client->chatStream($request));
        }
        $texts = Modelwire\run($tasks);
        same($count, count($texts), 'how many came');
        foreach ($texts as $number => $text) {
            same("stream $number", $text, 'the text');
        }
    }
}

function finalizers(): void
{
    $client = new Client();
    $streams = array_map(fn () => $client->chatStream(chat('hello')), range(1, 50));
    foreach ($streams as $stream) {
        same('one ', first($stream), 'the text');
    }
    check(Modelwire\unfinished() >= 50, 'they are over too early');
    // One of them goes with a cycle, which only the collector finds.
    $streams[0]->response = null;
    $cycle = new stdClass();
    [$cycle->self, $cycle->stream] = [$cycle, $streams[0]];
    unset($cycle, $stream, $streams, $client);
    settle();
    cue();
}

function clients(): void
{
    $descriptors = $memory = 0;
    for ($number = 1; $number <= 2000; $number++) {
        $client = new Client();
        if ($number % 100 === 0) {
            same('hello', $client->chat(chat('hello'))->text, 'the text');
        }
        if ($number % 2) {
            $client->close();
        }
        if ($number === 200) {
            [$descriptors, $memory] = [descriptors(), resident_mb()];
        }
    }
    check(descriptors() - $descriptors < 20, 'descriptors', $descriptors, descriptors());
    check(resident_mb() - $memory < 16, 'memory', $memory, resident_mb());
}

function log_(): void
{
    $records = [];
    $write = function (string $level, string $message, array $context) use (&$records): void {
        $records[] = [$level, $message, $context['target']];
    };
    Modelwire\log('debug', $write);
    (new Client())->chat(chat('hello'));
    Modelwire\unfinished();
    check($records !== [], 'no record came');
    $levels = ['error', 'warning', 'info', 'debug'];
    foreach ($records as [$level, $message, $target]) {
        check(in_array($level, $levels, true), 'no level of PSR-3', $level);
        check($message !== '' && $target !== '', 'an empty record');
    }
    check(!str_contains(json_encode($records), 'sk-test'), 'the key is in it');
    Modelwire\log('off');
    $records = [];
    (new Client())->chat(chat('hello'));
    same([], $records, 'the log after its end');
    log_levels($write);
    check(!array_diff(array_column($records, 0), ['error']), 'less important ones', $records);

    // A logger of PSR-3, whose interface is declared here since the package does not need it.
    eval('namespace Psr\Log; interface LoggerInterface {
        public function log($level, $message, array $context = []);
    }');
    $logger = eval('return new class implements Psr\Log\LoggerInterface {
        public array $records = [];
        public function log($level, $message, array $context = []) { $this->records[] = $level; }
    };');
    Modelwire\log('debug', $logger);
    (new Client())->chat(chat('hello'));
    Modelwire\unfinished();
    check(in_array('info', $logger->records, true), 'the logger', $logger->records);

    // A function that throws has no part in the call.
    $file = tempnam(sys_get_temp_dir(), 'modelwire-php-');
    ini_set('error_log', $file);
    Modelwire\log('debug', fn () => throw new \DomainException('the disk is full'));
    same('hello', (new Client())->chat(chat('hello'))->text, 'the text beside the log');
    $said = file_get_contents($file);
    unlink($file);
    check(str_contains($said, 'the disk is full'), 'nobody hears of it', $said);
}

/** The names of PSR-3; another is an error, and does not stay. */
function log_levels(callable $write): void
{
    $client = new Client();
    foreach (['warning', 'notice', 'Alert', 'emergency', 'critical', 'error'] as $level) {
        Modelwire\log($level, $write);
    }
    $message = thrown(\ValueError::class, fn () => Modelwire\log('verbose'))->getMessage();
    foreach (['verbose', 'warning', 'critical', 'trace', 'off'] as $name) {
        check(str_contains($message, $name), "not named: $name", $message);
    }
    $child = pcntl_fork();
    if ($child === 0) {
        try {
            $client->models();
            exit(0);
        } catch (\Throwable $thrown) {
            fwrite(STDERR, "in the child: $thrown\n");
            exit(1);
        }
    }
    pcntl_waitpid($child, $status);
    same(0, pcntl_wexitstatus($status), 'what the child says');
}

function close(): void
{
    $client = new Client();
    $stream = $client->chatStream(chat('hello'));
    same('one ', first($stream), 'the text');
    $begin = seconds();
    Modelwire\run([
        fn () => failure(fn () => $stream->next(), 'closed'),
        fn () => $client->close(),
    ]);
    check(seconds() - $begin < 20, 'it took too long');
    failure(fn () => $client->chat(chat('hello')), 'closed');
}

function interrupt(): void
{
    $client = new Client();
    $handled = [];
    pcntl_async_signals(true);
    pcntl_signal(SIGALRM, function () use (&$handled) {
        $handled[] = seconds();
        if (count($handled) === 2) {
            throw new \DomainException('time is over');
        }
        pcntl_alarm(1);
    });
    $whole = fn () => $client->chat(chat('hello'));
    $task = fn () => Modelwire\run([fn () => text_of($client->chatStream(chat('hello')))]);
    foreach ([$whole, $task] as $call) {
        $handled = [];
        $begin = seconds();
        pcntl_alarm(1);
        try {
            $call();
            check(false, 'nothing was thrown');
        } catch (\DomainException) {
            check($handled[0] - $begin < 20, 'the handler ran late', $begin, $handled);
            check(seconds() - $handled[1] < 20, 'the wait ended late', $handled);
        }
        settle();
    }
}

function fork(): void
{
    $client = new Client();
    $stream = $client->chatStream(chat('one two three four five six', 'slow'));
    $text = first($stream);
    $child = pcntl_fork();
    if ($child === 0) {
        try {
            failure(fn () => $stream->end(), 'forked');
            same('child', $client->chat(chat('child'))->text, 'the text');
            failure(fn () => $stream->next(), 'forked');
            exit(0);
        } catch (\Throwable $thrown) {
            fwrite(STDERR, "in the child: $thrown\n");
            exit(1);
        }
    }
    pcntl_waitpid($child, $status);
    same(0, pcntl_wexitstatus($status), 'what the child says');
    same('one two three four five six', $text . text_of($stream), 'the text');
}

/** Tasks beside each other: results by key, one in another, and one that fails. */
function tasks(): void
{
    $client = new Client();
    $say = fn (string $text) => fn () => $client->chat(chat($text, 'echo'))->text;
    $inner = fn () => Modelwire\run(['b' => $say('b'), 'c' => $say('c')]);
    same(['inner' => ['b' => 'b', 'c' => 'c'], 'a' => 'a'],
        Modelwire\run(['inner' => $inner, 'a' => $say('a')]), 'the results');
    $left = [];
    $reads = function () use ($client, &$left) {
        try {
            text_of($client->chatStream(chat('one two three four', 'slow')));
        } finally {
            $left[] = 'the other';
        }
    };
    $fails = fn () => $client->chat(chat('hello', 'no-such-model'));
    failure(fn () => Modelwire\run([$reads, $fails]), 'not_found');
    same(['the other'], $left, 'who has left');
    settle();

    // A failure does not end in whoever resumes the task that has it.
    $holds = function () use ($client) {
        try {
            Modelwire\run([fn () => text_of($client->chatStream(chat('a b c', 'slow')))]);
        } catch (Failure) {
            return;
        }
    };
    failure(fn () => Modelwire\run([$fails, $holds]), 'not_found');

    $turns = [];
    $yields = function () use (&$turns) {
        foreach (['first', 'second'] as $turn) {
            $turns[] = $turn;
            \Fiber::suspend($turn);
        }
        return 'yielded';
    };
    same(['yielded', 'a', 'yielded'], Modelwire\run([$yields, $say('a'), $yields]), 'the results');
    same(['first', 'first', 'second', 'second'], $turns, 'the turns');
    one_reader($client);
}

/** A second reader of a stream hears of the first, who reads on; and a stream has no copy. */
function one_reader(Client $client): void
{
    $ways = [text_of(...), fn (Stream $stream) => $stream->next(), fn ($stream) => $stream->end()];
    foreach ($ways as $reads) {
        $stream = $client->chatStream(chat('a b c', 'slow'));
        $second = fn () => thrown(\LogicException::class, fn () => $reads($stream))->getMessage();
        $seen = Modelwire\run([fn () => text_of($stream), $second]);
        same(['a b c', 'another task reads this stream'], $seen, 'what both have');
    }
    foreach ([$client, $stream, $stream->response] as $object) {
        thrown(\Error::class, fn () => clone $object);
    }
    // One after another they may.
    $stream = $client->chatStream(chat('a b c', 'slow'));
    $text = implode('', Modelwire\run([fn () => first($stream)]));
    same('a b c', $text . implode('', Modelwire\run([fn () => text_of($stream)])), 'the text');
}

/** Many requests in one process of a web server; nothing is left of those that end badly. */
function server(): void
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($socket, false);
    fclose($socket);
    $user = posix_getpwuid(posix_geteuid())['name'];
    $binding = BINDING . '/preload.php';
    $settings = ['-dopcache.enable=1', "-dopcache.preload=$binding", '-dffi.enable=preload',
        "-dopcache.preload_user=$user", '-ddisplay_errors=0'];
    $command = [PHP_BINARY, ...$settings, '-S', $address, __DIR__ . '/server.php'];
    $said = ['file', '/dev/null', 'w'];
    $process = proc_open($command, [STDIN, $said, $said], $pipes);
    try {
        serve("http://$address/?does=");
    } finally {
        proc_terminate($process, SIGKILL);
        proc_close($process);
    }
}

function serve(string $url): void
{
    $context = stream_context_create(['http' => ['ignore_errors' => true]]);
    $ask = fn (string $does) => file_get_contents($url . $does, false, $context);
    $port = parse_url($url, PHP_URL_PORT);
    for ($end = seconds() + 20; !@fsockopen('127.0.0.1', $port); usleep(10_000)) {
        check(seconds() < $end, 'the server does not start');
    }
    same('a b c', $ask('whole'), 'the text');
    same('a b c a b c', $ask('tasks'), 'the texts of tasks');
    $before = (int) $ask('descriptors');
    check($before > 0, 'no descriptors');
    for ($round = 0; $round < 8; $round++) {
        same(['a b c', 'a b c'], [$ask('whole'), $ask('streamed')], 'the texts');
        same(['', '', ''], [$ask('exit'), $ask('throw'), $ask('memory')], 'what says nothing');
    }
    same('', $ask('time'), 'what the time limit ends');
    same('a b c', $ask('whole'), 'the text at the end');
    check((int) $ask('descriptors') <= $before + 2, 'descriptors are left', $before);
}

set_error_handler(function (int $number, string $message, string $file, int $line): bool {
    if ((error_reporting() & $number) === 0) {
        return false;
    }
    throw new \ErrorException($message, 0, $number, $file, $line);
});
$name = $argv[1] ?? '';
try {
    (['log' => 'log_'][$name] ?? $name)();
} catch (\Throwable $thrown) {
    fwrite(STDERR, "$name: $thrown\n");
    exit(1);
}
