//! Streams as lists of arrival times, and their verdicts.
use super::*;

fn every(gap_ms: u64, from_ms: u64, count: u64) -> Vec<Duration> {
    (0..count).map(|at| Duration::from_millis(from_ms + at * gap_ms)).collect()
}

#[test]
fn a_stream_is_judged_by_when_its_chunks_came() {
    for (what, arrivals, expected) in [
        ("nothing", every(0, 0, 0), Delivery::FewChunks),
        ("too few", every(100, 500, 5), Delivery::FewChunks),
        ("one by one", every(20, 300, 25), Delivery::Streams),
        ("late, but one by one", every(20, 5000, 25), Delivery::Streams),
        ("all at once at the end", every(0, 2000, 25), Delivery::HeldBack),
        ("all within some milliseconds", every(1, 2000, 25), Delivery::HeldBack),
        ("all at once at the start", every(0, 5, 25), Delivery::Fast),
    ] {
        assert_eq!(judge(&arrivals), expected, "{what}");
    }
}

#[test]
fn bursts_of_chunks_are_counted() {
    assert_eq!(lumps(&[]), 0);
    assert_eq!(lumps(&every(0, 9, 4)), 1);
    assert_eq!(lumps(&every(10, 9, 4)), 4);
    let two = [every(0, 10, 8), every(0, 500, 8)].concat();
    assert_eq!(lumps(&two), 2);
}
