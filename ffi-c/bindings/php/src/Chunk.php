<?php

declare(strict_types=1);

namespace Modelwire;

/** A piece of a stream. */
final class Chunk extends Event {}
