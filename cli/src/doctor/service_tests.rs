//! Judgements of the service that need no network.
use super::*;

#[test]
fn a_misspelled_model_gets_a_suggestion() {
    let listed: Vec<String> = ["echo", "echo-tools", "a-large-model"].map(str::to_owned).to_vec();
    for (given, expected) in [
        ("ehco", Some("echo")),
        ("ECHO", Some("echo")),
        ("a-large-modle", Some("a-large-model")),
        ("something", None),
    ] {
        assert_eq!(nearest(given, &listed), expected, "{given}");
    }
}

#[test]
fn a_model_that_is_not_listed_fails_only_where_no_call_shows_it() {
    let listed = vec!["echo".to_owned()];
    let state = |model, no_calls| judge_model(model, "--model", &listed, no_calls).state;
    assert_eq!(state("echo", true), State::Ok);
    assert_eq!(state("ehco", true), State::Failed);
    assert_eq!(state("ehco", false), State::Warning);
    assert_eq!(judge_model("ehco", "--model", &[], true).state, State::Ok);
}
