//! Every binding through every scenario: this file lists both. Knows no language.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_tests_bindings as script;
use modelwire_tests_bindings::Scenario;

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
        scenario!($language, cancel, |scenario| scenario.scripted(script::stalling(), 2));
        scenario!($language, slow_reader, |scenario| scenario
            .scripted(script::large_then_small(), 21));
        scenario!($language, many, |scenario| {
            assert_eq!(scenario.played().metered()["slow"].calls, 1100);
        });
        scenario!($language, finalizers, |scenario| scenario.scripted(script::stalling(), 50));
        scenario!($language, clients, |scenario| {
            assert_eq!(scenario.played().metered()["echo"].calls, 20);
        });
        scenario!($language, log, |scenario| drop(scenario.played()));
        scenario!($language, close, |scenario| scenario.scripted(script::stalling(), 1));
        scenario!($language, interrupt, |scenario| {
            assert!((1..=2).contains(&scenario.heard(script::silent(), 2)));
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
}

mod node {
    use super::*;
    all_scenarios!("node");
}

mod java {
    use super::*;
    all_scenarios!("java");
}

mod ruby {
    use super::*;
    all_scenarios!("ruby");
    fork!("ruby");
}

mod luajit {
    use super::*;
    all_scenarios!("luajit");
    fork!("luajit");
}

mod php {
    use super::*;
    all_scenarios!("php");
    fork!("php");
}

mod python_cffi {
    use super::*;
    all_scenarios!("python-cffi");
    fork!("python-cffi");
}

mod elixir {
    use super::*;
    all_scenarios!("elixir");
}
