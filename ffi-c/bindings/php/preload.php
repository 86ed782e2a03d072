<?php

/*
 * All of modelwire: opcache.preload of a web server names this file, with ffi.enable=preload, since
 * PHP lets no page of a web server load a library by itself.
 */

declare(strict_types=1);

$names = ['Event', 'Chunk', 'Response', 'Exception', 'Call', 'Handle', 'Core', 'Tasks', 'Stream'];
foreach ([...$names, 'Client', 'bootstrap'] as $name) {
    require_once __DIR__ . "/src/$name.php";
}
