<?php

declare(strict_types=1);

namespace Modelwire;

/** A client of one service. Requests are arrays or JSON text; options stand in docs/options.md. */
final class Client {
    private readonly Handle $client;

    public function __construct(array $options = []) {
        $this->client = new Handle('client', ...Core::text($options));
    }
    public function models(array $options = []): Response {
        return $this->begin('MODELS', null, 0, $options)->end();
    }
    public function chat(array|string $request, array $options = []): Response {
        return $this->begin('CHAT', $request, 0, $options)->end();
    }
    public function chatStream(array|string $request, array $options = []): Stream {
        return $this->begin('CHAT', $request, 1, $options);
    }
    public function responses(array|string $request, array $options = []): Response {
        return $this->begin('RESPONSES', $request, 0, $options)->end();
    }
    public function responsesStream(array|string $request, array $options = []): Stream {
        return $this->begin('RESPONSES', $request, 1, $options);
    }
    /** Ends the calls in flight; they and later ones throw what is of kind "closed". */
    public function close(): void { Core::call('client_close', $this->client->pointer, -1); }

    private function __clone() {}
    private function begin(string $operation, mixed $json, int $streamed, array $options): Stream {
        $stream = new Stream($queue = Core::queue());
        $operation = Core::$ffi->{"MODELWIRE_OPERATION_$operation"};
        $request = new Handle('request', $operation, ...Core::text($json));
        if ($options) Core::call('request_set_options', $request->pointer, ...Core::text($options));
        $handles = [$queue->pointer, $this->client->pointer, $request->pointer];
        Core::call('queue_submit_request', ...[...$handles, $streamed, $stream->tag]);
        return $stream;
    }
}
