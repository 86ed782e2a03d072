//! Every binding through every scenario: this file lists both.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_tests_bindings as script;
use modelwire_tests_bindings::Scenario;
use modelwire_tests_c::{silent, stalling};

/// A scenario of a language: a test.
macro_rules! scenario {
    ($language:literal, $name:ident, |$scenario:ident| $plays:expr) => {
        #[test]
        fn $name() {
            let $scenario = Scenario::new($language, stringify!($name));
            $plays
        }
    };
}

/// What every binding does.
macro_rules! all_scenarios {
    ($language:literal) => {
        scenario!($language, plain, |scenario| {
            let service = scenario.played();
            assert_eq!(service.metered()["echo"].calls, 2);
            assert_eq!(service.recorded("").len(), 3);
        });
        scenario!($language, streamed, |scenario| {
            let service = scenario.played();
            assert!(service.metered()["echo"].calls >= 4);
        });
        scenario!($language, missing, |scenario| {
            let service = scenario.played();
            assert_eq!(service.recorded("").len(), 2);
        });
        scenario!($language, no_key, |scenario| {
            assert_eq!(scenario.without_key().connections(), 0);
        });
        scenario!($language, wrong_request, |scenario| {
            assert_eq!(scenario.played().connections(), 0);
        });
        scenario!($language, options, |scenario| drop(scenario.played()));
        scenario!($language, cut, |scenario| scenario.scripted(script::cut(), 1));
        scenario!($language, cancel, |scenario| scenario.scripted(stalling(&["one "]), 2));
        scenario!($language, slow_reader, |scenario| scenario
            .scripted(script::large_then_small(), 21));
        scenario!($language, many, |scenario| {
            assert_eq!(scenario.played().metered()["slow"].calls, 1100);
        });
        scenario!($language, finalizers, |scenario| scenario.scripted(stalling(&["one "]), 50));
        scenario!($language, clients, |scenario| {
            assert_eq!(scenario.played().metered()["echo"].calls, 20);
        });
        scenario!($language, log, |scenario| drop(scenario.played()));
        scenario!($language, close, |scenario| scenario.scripted(stalling(&["one "]), 1));
        scenario!($language, interrupt, |scenario| {
            scenario.interrupted(silent());
        });
    };
}

/// And what those do whose runtime forks.
macro_rules! fork {
    ($language:literal) => {
        scenario!($language, fork, |scenario| {
            let metered = scenario.played().metered();
            assert_eq!((metered["slow"].calls, metered["echo"].calls), (1, 1));
        });
    };
}

mod go {
    use super::*;
    all_scenarios!("go");

    // Requests and answers as structs.
    scenario!("go", typed, |scenario| drop(scenario.played()));

    // Many goroutines that cancel, leave and close the same streams.
    scenario!("go", together, |scenario| drop(scenario.played()));

    // A process that has no descriptor left: calls wait on threads.
    scenario!("go", descriptors, |scenario| scenario.played_with_cue(9));

    // Linked with the archive.
    #[test]
    fn static_library() {
        drop(Scenario::new("go", "static").played());
    }
}

mod node {
    use super::*;
    all_scenarios!("node");

    // ES modules and CommonJS have one implementation, with the library of the installed package.
    scenario!("node", installed, |scenario| drop(scenario.played()));

    // What TypeScript accepts, and what it must not.
    scenario!("node", types, |scenario| drop(scenario.played()));

    // Streams as those of the web.
    scenario!("node", web_stream, |scenario| drop(scenario.played()));

    // Worker threads with a client each, of which one ends and one is ended in the middle of a stream.
    scenario!("node", workers, |scenario| drop(scenario.played()));

    // What a paused stream still holds does not outlive its client.
    scenario!("node", close_paused, |scenario| scenario.scripted(script::large_then_small(), 1));
}

/// The package for Node.js, in Deno.
mod deno {
    use super::*;
    all_scenarios!("deno");
    scenario!("deno", installed, |scenario| drop(scenario.played()));
    scenario!("deno", web_stream, |scenario| drop(scenario.played()));
    scenario!("deno", close_paused, |scenario| scenario.scripted(script::large_then_small(), 1));
}

mod java {
    use super::*;
    all_scenarios!("java");

    // The library is the one of the artefact.
    scenario!("java", installed, |scenario| drop(scenario.played()));

    // Requests and answers as records.
    scenario!("java", typed, |scenario| drop(scenario.played()));

    // Streams as a Flow.Publisher.
    scenario!("java", publisher, |scenario| drop(scenario.played()));

    // The example in Kotlin, whose stream is a Flow.
    scenario!("java", kotlin, |scenario| drop(scenario.played()));

    // What is asked of a chunk that the stream has left behind.
    scenario!("java", late, |scenario| drop(scenario.played()));

    // Threads that hold no thread of the machine while they wait; the name is a word of Rust.
    #[test]
    fn virtual_threads() {
        drop(Scenario::new("java", "virtual").played());
    }
}

mod dotnet {
    use super::*;
    all_scenarios!("dotnet");

    // The library is the one of the package.
    scenario!("dotnet", installed, |scenario| drop(scenario.played()));

    // Requests and answers as objects.
    scenario!("dotnet", typed, |scenario| drop(scenario.played()));

    // Events larger than the buffer that they are read into.
    scenario!("dotnet", large, |scenario| drop(scenario.played()));

    // Calls and streams that tokens end.
    scenario!("dotnet", tokens, |scenario| scenario.scripted(stalling(&["one "]), 3));

    // What a paused stream still holds does not outlive its client.
    scenario!("dotnet", close_paused, |scenario| scenario.scripted(script::large_then_small(), 1));
}

mod ruby {
    use super::*;
    all_scenarios!("ruby");
    fork!("ruby");

    // The library that is loaded is the one of the gem.
    scenario!("ruby", installed, |scenario| drop(scenario.played()));

    // Each call beside its signature.
    scenario!("ruby", signatures, |scenario| drop(scenario.played()));

    // Threads that share a client, and are killed while they take.
    scenario!("ruby", threads, |scenario| drop(scenario.played()));

    // Fibers of a scheduler.
    scenario!("ruby", fibers, |scenario| drop(scenario.played()));

    // Signal handlers that raise.
    scenario!("ruby", handler_raises, |scenario| drop(scenario.played()));
}

mod luajit {
    use super::*;
    all_scenarios!("luajit");
    fork!("luajit");

    // Tasks that wait for tasks, and fail.
    scenario!("luajit", coroutines, |scenario| drop(scenario.played()));

    // In a loop of the program's own.
    scenario!("luajit", descriptor, |scenario| drop(scenario.played()));
}

mod php {
    use super::*;
    all_scenarios!("php");
    fork!("php");

    // Fibers in fibers, of which one fails.
    scenario!("php", tasks, |scenario| drop(scenario.played()));

    // A web server in one process for many requests, which end in every way.
    scenario!("php", server, |scenario| drop(scenario.played()));
}

mod python_cffi {
    use super::*;
    all_scenarios!("python-cffi");
    fork!("python-cffi");

    // Threads that share a client, beside interrupts.
    scenario!("python-cffi", threads, |scenario| drop(scenario.played()));

    // A stream that waits while others go on.
    scenario!("python-cffi", paused, |scenario| drop(scenario.played()));

    // Streams that nobody reads to their end.
    scenario!("python-cffi", abandoned, |scenario| drop(scenario.played()));

    // Several event loops, one after another.
    scenario!("python-cffi", asyncio_loops, |scenario| drop(scenario.played()));

    // The client of asyncio.
    scenario!("python-cffi", asyncio_plain, |scenario| {
        assert_eq!(scenario.played().metered()["echo"].calls, 2);
    });
    scenario!("python-cffi", asyncio_streamed, |scenario| drop(scenario.played()));
    scenario!("python-cffi", asyncio_missing, |scenario| drop(scenario.played()));
    scenario!("python-cffi", asyncio_cut, |scenario| scenario.scripted(script::cut(), 1));
    scenario!("python-cffi", asyncio_cancel, |scenario| {
        scenario.scripted(stalling(&["one "]), 2);
    });
    scenario!("python-cffi", asyncio_slow_reader, |scenario| {
        scenario.scripted(script::large_then_small(), 21);
    });
    scenario!("python-cffi", asyncio_many, |scenario| {
        assert_eq!(scenario.played().metered()["slow"].calls, 1100);
    });
    scenario!("python-cffi", asyncio_finalizers, |scenario| {
        scenario.scripted(stalling(&["one "]), 50);
    });
    scenario!("python-cffi", asyncio_clients, |scenario| drop(scenario.played()));
    scenario!("python-cffi", asyncio_close, |scenario| {
        scenario.scripted(stalling(&["one "]), 1);
    });
    scenario!("python-cffi", asyncio_interrupt, |scenario| {
        scenario.interrupted(silent());
    });
}

mod elixir {
    use super::*;
    all_scenarios!("elixir");

    // The process that takes events is killed, and calls go on.
    scenario!("elixir", router, |scenario| drop(scenario.played()));

    // The NIF and the library are those of the package; and a NIF that is built where there is none.
    scenario!("elixir", installed, |scenario| drop(scenario.played()));
    scenario!("elixir", built, |scenario| drop(scenario.played()));

    // Events of calls for :telemetry.
    scenario!("elixir", telemetry, |scenario| drop(scenario.played()));

    // The module is loaded anew under calls.
    scenario!("elixir", reload, |scenario| drop(scenario.played()));

    // Streams that are left in every way.
    scenario!("elixir", storm, |scenario| drop(scenario.played()));

    // A process that dies ends its calls.
    scenario!("elixir", owner, |scenario| scenario.scripted(stalling(&["one "]), 1));
}

mod perl {
    use super::*;
    all_scenarios!("perl");
    fork!("perl");

    // In a loop of the program's own.
    scenario!("perl", descriptor, |scenario| drop(scenario.played()));
}
