//! What stands between the core and the wire: packed answers, redirects, options of a call, connections and
//! their cap, hostile peers, and what is shown of the key.

mod base_urls;
mod before_attempt;
mod cap;
mod connections;
mod endless;
mod hostile;
mod idempotency;
mod options;
mod packing;
mod redirects;
mod secrets;
mod sockets;

const MARKER: &str = "MODELWIRE_TEST_TRANSPORT_CHILD";

/// Runs `test`, which is the rest of the test function of this name, in a process of its own;
/// what that process wrote to both its outputs, or `None` in the child.
fn in_child(name: &str, test: impl FnOnce()) -> Option<String> {
    if std::env::var_os(MARKER).is_some() {
        test();
        return None;
    }
    let mut command = crate::processes::this_program();
    let name = format!("transport::{name}");
    command.args([&name, "--exact", "--nocapture", "--test-threads=1"]).env(MARKER, "1");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {}", output.status, tail(&told));
    assert!(told.contains("1 passed"), "the test {name} did not run: {}", tail(&told));
    Some(told.into_owned())
}

/// The end of a long text, where a failure tells its reason.
fn tail(text: &str) -> &str {
    let mut start = text.len().saturating_sub(4000);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}
