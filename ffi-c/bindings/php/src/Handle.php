<?php

declare(strict_types=1);

namespace Modelwire;

use FFI;

/** What the library makes, freed with this object. @internal */
final class Handle {
    public ?FFI\CData $pointer;

    public function __construct(private readonly string $type, mixed ...$arguments) {
        $this->pointer = Core::load()->new("modelwire_$type *");
        Core::call("{$type}_new", ...[...$arguments, FFI::addr($this->pointer)]);
        Core::$handles[$this] = true;
    }
    public function __destruct() {
        Core::$ffi->{"modelwire_{$this->type}_free"}($this->pointer);
        $this->pointer = null;
    }
    private function __clone() {}
}
