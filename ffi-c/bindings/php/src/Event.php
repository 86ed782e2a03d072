<?php

declare(strict_types=1);

namespace Modelwire;

use FFI;

/** What came. The text is there; the rest is read when it is asked for. */
class Event {
    public function __construct(public readonly string $text, private readonly FFI\CData $event) {}
    /** As the service sent it. */
    public function json(): string { return Core::$ffi->modelwire_event_json($this->event, null); }
    /** The same, parsed; null where there is none. */
    public function document(): ?array { return \json_decode($this->json(), true); }
    /** What the library knows, the same of chats and responses: modelwire_event_info lists it. */
    public function info(): array {
        $info = Core::$ffi->modelwire_event_info($this->event);
        return \json_decode(Core::$ffi->modelwire_value_json($info, '', 0, null), true);
    }
    /** The name of the server-sent event. */
    public function name(): string { return Core::$ffi->modelwire_event_name($this->event, null); }
    public function __destruct() { Core::$ffi->modelwire_event_free($this->event); }
    private function __clone() {}
}
