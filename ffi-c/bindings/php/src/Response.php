<?php

declare(strict_types=1);

namespace Modelwire;

/** A whole answer, or the end of a stream. */
final class Response extends Event {}
