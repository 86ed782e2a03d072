<?php

declare(strict_types=1);

namespace Modelwire;

/** The unread events of a call, and the task that waits for them. @internal */
final class Call {
    public array $chunks = [];
    public ?Event $last = null;
    public ?\WeakReference $task = null;
}
