<?php

declare(strict_types=1);

namespace Modelwire;

/** What came of one call and was not read, and the task that waits for it. @internal */
final class Call {
    public array $chunks = [];
    public ?Event $last = null;
    public ?\WeakReference $task = null;
}
