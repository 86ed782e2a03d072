<?php

/* Composer loads this in every page: where the package is preloaded, its functions are there. */

declare(strict_types=1);

if (!\function_exists('Modelwire\run')) {
    require __DIR__ . '/functions.php';
}
