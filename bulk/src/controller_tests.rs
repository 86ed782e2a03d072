//! The controller against simulated services in virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "controller/simulation.rs"]
mod simulation;

use modelwire_testing::load::{Bucket, Load, Queue, RetryAfter, Slope};

use super::*;
use simulation::{Played, Scene};

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn bucket(per_second: f64, burst: f64) -> Option<Bucket> {
    Some(Bucket { per_second, burst })
}

/// A service with this mean latency: constant, or from a fifth to three times of it.
fn scene(name: &str, load: Load, latency: f64, is_varied: bool) -> Scene {
    let tokens = if is_varied { (100.0, 1600.0) } else { (500.0, 500.0) };
    let mut scene = Scene {
        name: format!("{name}, {latency} s{}", if is_varied { " varied" } else { "" }),
        phases: Vec::new(),
        tokens,
        way: (latency / 10.0).min(0.02),
        fixed: Fixed::default(),
        seconds: 600.0,
    };
    let latency_per_token = seconds(latency / scene.mean_tokens());
    scene.phases.push((0.0, Load { latency_per_token, ..load }));
    // The share of a few hundred rows is not significant: slow scenes run until there are more.
    let rate = scene.ideal_rate(&scene.phases[0].1);
    scene.seconds = scene.seconds.max(latency * 60.0).max(1000.0 / rate);
    scene
}

/// Changes the service after half the time.
fn then(mut scene: Scene, change: impl Fn(&mut Load)) -> Scene {
    let mut load = scene.phases[0].1.clone();
    change(&mut load);
    scene.phases.push((scene.seconds / 2.0, load));
    scene
}

fn scenes() -> Vec<Scene> {
    let mut scenes = Vec::new();
    let mut add = |scene: Scene| scenes.push(scene);
    let plain = Load::default;
    for rate in [2.0, 10.0, 50.0, 300.0, 2000.0] {
        for latency in [0.05, 0.5, 5.0, 30.0] {
            if rate * latency > f64::from(IN_FLIGHT_MAX) {
                continue;
            }
            let least = (rate / 10.0).max(1.0);
            for (is_varied, burst) in
                [(false, rate), (true, rate), (true, least), (true, rate * 10.0)]
            {
                if rate > 300.0 && burst != rate {
                    continue;
                }
                let name = format!("bucket {rate}/s burst {burst}");
                let load = Load { requests: bucket(rate, burst), ..plain() };
                add(scene(&name, load, latency, is_varied));
            }
        }
    }
    for rate in [50.0, 300.0] {
        for latency in [0.5, 5.0] {
            let load = Load { requests: bucket(rate, 1.0), ..plain() };
            add(scene(&format!("bucket {rate}/s burst 1"), load, latency, true));
        }
    }
    for at_once in [1, 4, 16, 100, 1000] {
        for latency in [0.05, 0.5, 5.0, 30.0] {
            if f64::from(at_once) / latency > 2000.0 {
                continue;
            }
            for is_varied in [false, true] {
                let load = Load { at_once: Some(at_once), ..plain() };
                add(scene(&format!("cap {at_once}"), load, latency, is_varied));
            }
        }
    }
    for at_once in [8, 32, 256] {
        for latency in [0.05, 0.5, 5.0, 30.0] {
            if f64::from(at_once) / latency > 2000.0 {
                continue;
            }
            for (is_varied, slowed) in [(false, 0.0), (true, 0.0), (true, 0.05)] {
                let load = Load { queue: Some(Queue { at_once, slowed }), ..plain() };
                add(scene(&format!("queue {at_once} slowed {slowed}"), load, latency, is_varied));
            }
        }
    }
    // The controller can reach each of them within a minute.
    for (window, over, factor, floor, rate) in [
        (1.0, 10.0, 1.5, 10, 50.0),
        (1.0, 10.0, 2.0, 10, 300.0),
        (1.0, 30.0, 2.0, 10, 100.0),
        (1.0, 60.0, 3.0, 5, 15.0),
        (10.0, 60.0, 2.0, 100, 25.0),
        (10.0, 10.0, 1.5, 100, 50.0),
        (5.0, 5.0, 2.0, 25, 100.0),
        (10.0, 10.0, 2.0, 100, 300.0),
        (60.0, 60.0, 3.0, 300, 15.0),
    ] {
        for latency in [0.5, 5.0] {
            let over_time = seconds(over);
            let slope = Some(Slope { window: seconds(window), over: over_time, factor, floor });
            let name = format!("slope {window} s x{factor} over {over} s, {floor} to {rate}/s");
            let load = Load { slope, requests: bucket(rate, rate), ..plain() };
            add(scene(&name, load, latency, true));
            let load = Load { slope, at_once: Some((rate * latency) as u32), ..plain() };
            add(scene(&name.replace("/s", "/s by cap"), load, latency, true));
        }
    }
    let long = RetryAfter::Share { wait: seconds(89.0), share: 0.5 };
    let always = RetryAfter::Share { wait: seconds(89.0), share: 1.0 };
    for (name, retry_after) in
        [("some 89 s", long), ("all 89 s", always), ("none", RetryAfter::Nothing)]
    {
        for latency in [0.5, 5.0] {
            for rate in [10.0, 100.0] {
                let load = Load { requests: bucket(rate, rate), retry_after, ..plain() };
                add(scene(&format!("retry-after {name}, bucket {rate}/s"), load, latency, true));
            }
            let load = Load { at_once: Some(50), retry_after, ..plain() };
            add(scene(&format!("retry-after {name}, cap 50"), load, latency, true));
        }
    }
    let fault_share = 0.01;
    for latency in [0.5, 5.0] {
        let load = Load { requests: bucket(100.0, 100.0), fault_share, ..plain() };
        add(scene("500s, bucket 100/s", load, latency, true));
        let load = Load { at_once: Some(50), fault_share, ..plain() };
        add(scene("500s, cap 50", load, latency, true));
        let load = Load { queue: Some(Queue { at_once: 32, slowed: 0.0 }), fault_share, ..plain() };
        add(scene("500s, queue 32", load, latency, true));
    }
    for latency in [0.5, 5.0] {
        for (from, to) in [(20.0, 100.0), (100.0, 20.0), (300.0, 30.0)] {
            let load = Load { requests: bucket(from, from), ..plain() };
            let one = scene(&format!("bucket {from}/s then {to}/s"), load, latency, true);
            add(then(one, |load| load.requests = bucket(to, to)));
        }
        for (from, to) in [(30, 120), (120, 30), (100, 10)] {
            let load = Load { at_once: Some(from), ..plain() };
            let one = scene(&format!("cap {from} then {to}"), load, latency, true);
            add(then(one, |load| load.at_once = Some(to)));
            let queue = |at_once| Some(Queue { at_once, slowed: 0.0 });
            let load = Load { queue: queue(from), ..plain() };
            let one = scene(&format!("queue {from} then {to}"), load, latency, true);
            add(then(one, |load| load.queue = queue(to)));
        }
        let load = Load { queue: Some(Queue { at_once: 64, slowed: 0.0 }), ..plain() };
        let one = scene("queue 64, answers thrice as long then", load, latency, true);
        add(then(one, |load| load.latency_per_token *= 3));
    }
    for (rate, kept) in [(5_000.0, 1.0), (5_000.0, 60.0), (50_000.0, 1.0), (50_000.0, 60.0)] {
        for latency in [0.5, 5.0] {
            let load = Load { tokens: bucket(rate, rate * kept), ..plain() };
            add(scene(&format!("{} tokens/min, {kept} s kept", rate * 60.0), load, latency, true));
        }
    }
    for latency in [0.5, 5.0] {
        let load =
            Load { tokens: bucket(20_000.0, 20_000.0), requests: bucket(60.0, 60.0), ..plain() };
        add(scene("1.2 M tokens/min and 60/s", load, latency, true));
        let load = Load { at_once: Some(40), requests: bucket(40.0, 40.0), ..plain() };
        add(scene("cap 40 and 40/s", load, latency, true));
        let load = Load {
            queue: Some(Queue { at_once: 32, slowed: 0.0 }),
            requests: bucket(50.0, 50.0),
            fault_share,
            retry_after: long,
            ..plain()
        };
        add(scene("queue 32 and 50/s, 500s, some 89 s", load, latency, true));
    }
    for refused_share in [0.001, 0.01, 0.05, 0.2] {
        for latency in [0.2, 5.0] {
            let name = format!("chance {refused_share}");
            let load = Load { at_once: Some(200), refused_share, ..plain() };
            add(scene(&format!("{name}, cap 200"), load, latency, true));
            let load = Load { requests: bucket(50.0, 50.0), refused_share, ..plain() };
            add(scene(&format!("{name}, bucket 50/s"), load, latency, true));
        }
    }
    for latency in [0.3, 5.0] {
        for neighbour in [25.0, 40.0] {
            let load = Load { requests: bucket(50.0, 50.0), neighbour, ..plain() };
            add(scene(&format!("neighbour {neighbour} of 50/s"), load, latency, true));
        }
        let load = Load { requests: bucket(10.0, 10.0), ..plain() };
        let one = scene("bucket 10/s then 100/s", load, latency, true);
        add(then(one, |load| load.requests = bucket(100.0, 100.0)));
        let load = Load { requests: bucket(50.0, 50.0), ..plain() };
        let mut one = then(scene("outage of a minute, 50/s", load, latency, true), |load| {
            load.refused_share = 1.0;
        });
        one.phases.push((one.seconds / 2.0 + 60.0, one.phases[0].1.clone()));
        add(one);
    }
    scenes
}

/// The measures of a scene, against the thresholds of the table.
struct Cell {
    /// Share of the ideal.
    goodput: f64,
    /// Share of refusals, beyond those by chance.
    refused: f64,
    /// Rows in flight, relative to what saturates the service.
    crowd: f64,
    is_good: bool,
    /// Below 60 % of the better of the ideal and plain slots.
    is_collapsed: bool,
}

/// `plain` is the goodput of plain slots as a share of the ideal.
fn judge(scene: &Scene, played: &Played, plain: f64) -> Cell {
    let load = &scene.phases.last().unwrap().1;
    let by_chance = scene.phases[0].1.refused_share;
    let goodput = played.good as f64 / scene.ideal();
    let refused = played.refused as f64 / played.requests.max(1) as f64 - by_chance;
    let takes = load.latency + load.latency_per_token.mul_f64(scene.mean_tokens());
    let rate = scene.ideal_rate(load);
    let crowd = f64::from(played.in_flight_late) / (rate * takes.as_secs_f64());
    let least = match by_chance {
        0.0 => 0.9,
        chance if chance <= 0.05 => plain.min(0.99 * (1.0 - chance)),
        _ => 0.7 * plain,
    };
    let has_queue = load.queue.is_some();
    let is_good =
        goodput >= least && (refused <= 0.15 || rate < 5.0) && (!has_queue || crowd <= 3.0);
    let best = plain.max(1.0 - by_chance).min(1.0);
    Cell { goodput, refused, crowd, is_good, is_collapsed: goodput < 0.6 * best }
}

fn plain(scene: &Scene) -> f64 {
    scene.play_plainly(100).good as f64 / scene.ideal()
}

/// A line of the table.
struct Line {
    /// Of the seeds.
    median_goodput: f64,
    worst: Cell,
    plain: f64,
}

impl Line {
    fn of(scene: &Scene, seeds: u64, trace: Option<f64>) -> Line {
        let plain = plain(scene);
        let cells: Vec<Cell> = (0..seeds)
            .map(|seed| {
                let played = scene.play(seed, trace);
                let name = &scene.name;
                played.trace.iter().for_each(|line| println!("{name}, seed {seed}: {line}"));
                judge(scene, &played, plain)
            })
            .collect();
        let mut goodputs: Vec<f64> = cells.iter().map(|cell| cell.goodput).collect();
        goodputs.sort_by(f64::total_cmp);
        let worst = cells.into_iter().reduce(|one, other| Cell {
            goodput: one.goodput.min(other.goodput),
            refused: one.refused.max(other.refused),
            crowd: one.crowd.max(other.crowd),
            is_good: one.is_good && other.is_good,
            is_collapsed: one.is_collapsed || other.is_collapsed,
        });
        Line { median_goodput: goodputs[goodputs.len() / 2], worst: worst.unwrap(), plain }
    }

    fn print(&self, scene: &Scene) {
        let Line { median_goodput, worst, plain } = self;
        let mark = match (worst.is_good, worst.is_collapsed) {
            (true, _) => "",
            (false, false) => "  <---",
            (false, true) => "  <--- collapse",
        };
        let [median, goodput, plain, refused] =
            [*median_goodput, worst.goodput, *plain, worst.refused].map(|share| share * 100.0);
        println!(
            "{:60} {median:7.1}% {goodput:7.1}% {plain:7.1}% {refused:6.2}% {:7.2}{mark}",
            scene.name, worst.crowd
        );
    }
}

/// `SCENES=part of a name SEEDS=n TRACE=seconds cargo test -p modelwire-bulk --release --lib table --
/// --ignored --nocapture`
#[test]
#[ignore = "prints the table of tests/bench/README.md, which says how; takes minutes"]
fn table() {
    let wanted = std::env::var("SCENES").unwrap_or_default();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<f64>().ok());
    let (seeds, trace) = (number("SEEDS").unwrap_or(3.0) as u64, number("TRACE"));
    let mut scenes = scenes();
    scenes.retain(|scene| scene.name.contains(&wanted));
    assert!(!scenes.is_empty() && seeds > 0, "no scene has {wanted:?} in its name, or no seed");
    let heads = ["service", "median", "worst", "plain", "429", "crowd"];
    let [service, median, worst, plain, refused, crowd] = heads;
    println!("{service:60} {median:>8} {worst:>8} {plain:>8} {refused:>7} {crowd:>7}");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = |thread| -> Vec<Line> {
        let own = scenes.iter().skip(thread).step_by(threads);
        own.map(|scene| Line::of(scene, seeds, trace)).collect()
    };
    let parts: Vec<Vec<Line>> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let line_of = |number: usize| &parts[number % threads][number / threads];
    let lines: Vec<&Line> = (0..scenes.len()).map(line_of).collect();
    lines.iter().zip(&scenes).for_each(|(line, scene)| line.print(scene));
    let count = |which: fn(&Line) -> bool| lines.iter().filter(|line| which(line)).count();
    let mut refused: Vec<f64> = lines.iter().map(|line| line.worst.refused * 100.0).collect();
    refused.sort_by(f64::total_cmp);
    let bad = count(|line| !line.worst.is_good);
    println!(
        "{} of {} reach 90 % in the median of seeds; {bad} fail, {} collapse; median refused {:.1}%",
        count(|line| line.median_goodput >= 0.9),
        lines.len(),
        count(|line| line.worst.is_collapsed),
        refused[refused.len() / 2]
    );
    assert_eq!(bad, 0);
}

/// Runs scenes of the table by name, with two seeds each.
fn check(names: &[&str]) {
    check_seeds(names, &[0, 1]);
}

fn check_seeds(names: &[&str], seeds: &[u64]) {
    let scenes = scenes();
    for name in names {
        let scene = scenes.iter().find(|scene| scene.name == *name);
        let scene = scene.unwrap_or_else(|| panic!("no scene {name}"));
        let plain = plain(scene);
        for seed in seeds {
            let Cell { goodput, refused, crowd, is_good, .. } =
                judge(scene, &scene.play(*seed, None), plain);
            let figures = format!("goodput {goodput:.3}, refused {refused:.4}, crowd {crowd:.2}");
            assert!(is_good, "{name}, seed {seed}: {figures}, plain {plain:.3}");
        }
    }
}

#[test]
fn a_rate_is_used_and_not_exceeded() {
    check(&["bucket 50/s burst 50, 0.5 s varied", "bucket 300/s burst 300, 5 s varied"]);
}

#[test]
fn a_concurrency_limit_is_used_and_not_exceeded() {
    check(&["cap 16, 0.5 s", "cap 100, 5 s varied"]);
}

#[test]
fn a_queue_is_kept_short() {
    check(&["queue 32 slowed 0, 0.5 s", "queue 256 slowed 0.05, 5 s varied"]);
}

#[test]
fn a_limit_on_growth_is_followed() {
    check(&["slope 1 s x2 over 10 s, 10 to 300/s, 0.5 s varied"]);
}

/// A long wait concerns only one row, and a fault is not a limit.
#[test]
fn long_waits_and_faults_hold_no_other_row() {
    check(&["retry-after some 89 s, bucket 10/s, 5 s varied", "500s, cap 50, 0.5 s varied"]);
}

#[test]
fn random_refusals_do_not_reduce_throughput() {
    check(&["chance 0.01, cap 200, 5 s varied", "chance 0.05, bucket 50/s, 0.2 s varied"]);
    check(&["chance 0.05, cap 200, 0.2 s varied", "chance 0.2, cap 200, 0.2 s varied"]);
}

/// The seeds with which they once did: chance was taken for a limit again and again, down to a hundredth.
#[test]
fn chance_is_told_from_a_limit_with_every_seed() {
    check_seeds(&["chance 0.2, bucket 50/s, 5 s varied"], &[10, 15, 16, 46, 61]);
}

/// A job of ten seconds, the start included.
#[test]
fn short_jobs_keep_up_with_plain_slots() {
    for refused_share in [0.0, 0.01, 0.05] {
        let load = Load { at_once: Some(64), refused_share, ..Load::default() };
        let mut job = scene("short", load, 0.1, true);
        job.seconds = 10.0;
        let plain = job.play_plainly(1).answered;
        let answered: Vec<_> = (0..30).map(|seed| job.play(seed, None).answered).collect();
        let below = |tenths| answered.iter().filter(|count| **count * 10 < plain * tenths).count();
        assert_eq!(
            (below(6), below(8) * 10 <= answered.len()),
            (0, true),
            "{answered:?} of {plain}"
        );
        assert!(
            answered[..3].iter().all(|count| *count * 10 >= plain * 8),
            "{answered:?} of {plain}"
        );
    }
}

#[test]
fn capacity_left_by_other_clients_is_used() {
    check(&["neighbour 25 of 50/s, 5 s varied"]);
}

#[test]
fn a_limit_that_changes_is_noticed() {
    check(&["bucket 10/s then 100/s, 0.3 s varied", "bucket 100/s then 20/s, 0.5 s varied"]);
    check(&["outage of a minute, 50/s, 0.3 s varied", "cap 30 then 120, 0.5 s varied"]);
}

/// A limit that rises tenfold: four fifths of the new one are reached within half a minute.
#[test]
fn a_limit_that_rises_is_found() {
    let load = Load { requests: bucket(10.0, 10.0), ..Load::default() };
    let mut one = then(scene("rise", load, 0.3, true), |load| load.requests = bucket(100.0, 100.0));
    let until = |seconds: f64, one: &mut Scene| {
        one.seconds = seconds;
        one.play(1, None).good as f64
    };
    let found = until(360.0, &mut one) - until(330.0, &mut one);
    assert!(found >= 0.8 * 30.0 * 100.0, "{found} in the second half minute");
}

#[test]
fn limits_set_by_the_user_are_kept() {
    let load = Load::default();
    let mut one = scene("fixed", Load { at_once: Some(1000), ..load }, 0.5, true);
    let set = |fixed: Fixed, one: &mut Scene| {
        one.fixed = fixed;
        one.seconds = 600.0;
        one.play(1, None)
    };
    let number = set(Fixed { concurrency_max: Some(7), ..Fixed::default() }, &mut one);
    assert_eq!(number.in_flight_max, 7);
    let requests = set(Fixed { requests_per_minute: Some(600.0), ..Fixed::default() }, &mut one);
    assert!((5900..=6011).contains(&requests.requests), "{}", requests.requests);
    // About nine per second of 541 tokens each, which vary: the actual output counts, not the estimate.
    let tokens = set(Fixed { tokens_per_minute: Some(300_000.0), ..Fixed::default() }, &mut one);
    assert!((5400..=5800).contains(&tokens.requests), "{}", tokens.requests);
}

#[test]
fn a_lower_concurrency_limit_waits_for_room_and_a_higher_one_is_used() {
    let mut controller = Controller::new(Fixed::default());
    let start = seconds(1.0);
    let asked = std::iter::repeat_with(|| controller.ask(start, 1));
    let in_flight = asked.take_while(|decision| *decision == Decision::Go).count();
    assert!(in_flight > 4, "{in_flight}");
    let limited = |limit| Fixed { concurrency_max: Some(limit), ..Fixed::default() };
    controller.set_fixed(start, limited(3));
    for _ in 2..in_flight {
        assert_ne!(controller.ask(start, 1), Decision::Go);
        controller.ended(start, start, Ended::Answered { tokens: None });
    }
    assert_eq!(controller.ask(start, 1), Decision::Go, "two are in flight");
    assert_ne!(controller.ask(start, 1), Decision::Go);
    controller.set_fixed(start, limited(30));
    for tenth in 10..300 {
        let now = seconds(f64::from(tenth) / 10.0);
        for _ in 0..controller.view(now).in_flight {
            controller.ended(now - seconds(0.1), now, Ended::Answered { tokens: None });
        }
        while controller.ask(now, 1) == Decision::Go {}
    }
    assert_eq!(controller.view(seconds(30.0)).in_flight, 30);
}

#[test]
fn a_new_rate_counts_for_the_next_row() {
    let of = |requests_per_minute| Fixed { requests_per_minute, ..Fixed::default() };
    let mut controller = Controller::new(of(Some(6.0)));
    let start = seconds(100.0);
    let wait = |controller: &mut Controller| match controller.ask(start, 1) {
        Decision::At(at) => (at - start).as_secs_f64(),
        other => panic!("{other:?}"),
    };
    assert_eq!(controller.ask(start, 1), Decision::Go);
    let before = wait(&mut controller);
    controller.set_fixed(start, of(Some(60.0)));
    let after = wait(&mut controller);
    assert!(
        (9.0..10.0).contains(&before) && (after - before / 10.0).abs() < 0.01,
        "{before} {after}"
    );
    controller.set_fixed(start, of(None));
    assert_eq!(controller.ask(start, 1), Decision::Go);
    controller.set_fixed(start, of(Some(6.0)));
    assert_eq!(controller.ask(start, 1), Decision::Go, "nothing was counted before");
    assert!(wait(&mut controller) > 8.0);
}

#[test]
fn where_everything_is_refused_little_is_sent() {
    let load = Load { requests: bucket(1e-9, 1.0), ..Load::default() };
    let mut one = scene("outage", load, 0.5, false);
    one.seconds = 600.0;
    let played = one.play(1, None);
    assert!(played.requests < 80, "{}", played.requests);
}

/// `ask` and `ended` together: in a release build, well below a microsecond.
#[test]
#[ignore = "measures; by hand: cargo test -p modelwire-bulk --release --lib cost -- --ignored --nocapture"]
fn cost() {
    let mut controller = Controller::new(Fixed::default());
    let mut begun = std::collections::VecDeque::new();
    let start = std::time::Instant::now();
    let rows = 2_000_000u32;
    let mut now = Duration::ZERO;
    for _ in 0..rows {
        now += Duration::from_micros(20);
        while let Decision::Go = controller.ask(now, 100) {
            begun.push_back(now);
            if begun.len() > 200 {
                break;
            }
        }
        if let Some(at) = begun.pop_front() {
            controller.ended(at, now, Ended::Answered { tokens: Some(90) });
        }
    }
    println!("{:?} a row", start.elapsed() / rows);
}

#[test]
fn a_quota_paces_until_it_is_free() {
    let now = seconds(10.0);
    let fixed = Fixed { requests_per_minute: Some(60.0), ..Fixed::default() };
    let mut controller = Controller::new(fixed);
    assert!(!controller.view(now).is_paced);
    assert_eq!(controller.ask(now, 1), Decision::Go);
    assert!(!controller.view(now).is_paced, "one was kept");
    assert_eq!(controller.ask(now, 1), Decision::Go);
    assert!(controller.view(now).is_paced && controller.view(now).rate.is_none());
    let Decision::At(free_at) = controller.ask(now, 1) else { panic!("two in no time") };
    assert!(controller.view(free_at - Duration::from_millis(1)).is_paced);
    assert!(!controller.view(free_at).is_paced);
}

#[test]
fn estimates_are_given_back_when_their_rows_end() {
    let fixed = Fixed { tokens_per_minute: Some(6_000.0), ..Fixed::default() };
    let mut controller = Controller::new(fixed);
    for tokens in [40, 20] {
        assert_eq!(controller.ask(seconds(1.0), tokens), Decision::Go);
    }
    controller.ended(seconds(1.0), seconds(1.0), Ended::Answered { tokens: Some(30) });
    assert_eq!(controller.reserved, 30.0);
    controller.ended(seconds(1.0), seconds(1.0), Ended::Refused);
    assert_eq!(controller.reserved, 0.0);
    // Of the hundred of a second, thirty were used.
    let taken = controller.tokens.as_ref().unwrap().free_at(seconds(1.0));
    assert_eq!(taken, seconds(1.0));
    assert_eq!(controller.ask(seconds(1.0), 100), Decision::Go);
    let owed = controller.tokens.as_ref().unwrap().free_at(seconds(1.0)) - seconds(1.0);
    assert_eq!(owed.as_millis(), 300);
}
