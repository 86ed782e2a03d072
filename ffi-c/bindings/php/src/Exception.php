<?php

declare(strict_types=1);

namespace Modelwire;

/** All that is known of a failure, by name: modelwire_error_json in modelwire.h lists it. */
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
