<?php

declare(strict_types=1);

namespace Modelwire;

/**
 * All that is known of a failure, by name; docs/errors.md explains it.
 *
 * @property-read string $kind
 * @property-read string $message
 * @property-read ?string $hint
 * @property-read ?string $doc_url
 * @property-read ?int $http_status
 * @property-read ?string $type
 * @property-read ?string $code
 * @property-read ?string $param
 * @property-read ?string $request_id
 * @property-read ?string $path
 * @property-read ?string $model
 * @property-read ?string $timeout
 * @property-read ?string $metered
 * @property-read ?string $body
 * @property-read ?string $partial
 * @property-read ?list<array{name: string, value: string}> $headers
 * @property-read ?int $request_time_unix_ms
 * @property-read ?int $attempts
 * @property-read ?int $elapsed_ms
 * @property-read ?int $retry_after_ms
 * @property-read ?array<string, mixed> $rate_limits
 * @property-read ?array<string, mixed> $timing
 */
final class Exception extends \RuntimeException {
    private readonly array $known;

    public function __construct(public readonly string $json) {
        $this->known = \json_decode($json, true);
        $hint = $this->hint ? " Hint: {$this->hint}" : '';
        parent::__construct("{$this->kind}: {$this->known['message']}$hint");
    }
    /** Of `message` and `code` too, since PHP hides its own members of these names. */
    public function __get(string $name): mixed { return $this->known[$name]; }
    public function __isset(string $name): bool { return isset($this->known[$name]); }
}
