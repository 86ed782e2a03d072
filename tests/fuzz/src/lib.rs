//! What the targets share: serde_json as the judge of JSON, inputs taken apart, and files in memory.

use serde::de::IgnoredAny;
pub use serde_json::Value as Json;

/// Whether serde_json takes the text for JSON. Read without being looked at: neither depth nor lone
/// surrogates nor huge numbers matter then.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The value, where serde_json can hold it: at most 128 deep, no lone surrogate, no number beyond
/// a double.
pub fn json(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

/// How deep the arrays and objects of valid JSON are nested.
pub fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                open += 1;
                deepest = deepest.max(open);
            }
            b'}' | b']' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The first `N` bytes of an input, which steer a target, and the rest; short ones read as zeros.
pub fn steered<const N: usize>(data: &[u8]) -> ([u8; N], &[u8]) {
    let mut head = [0; N];
    let (given, rest) = data.split_at(data.len().min(N));
    head[..given.len()].copy_from_slice(given);
    (head, rest)
}

/// A folder in memory for files that a target reads, emptied.
pub fn memory(name: &str) -> std::path::PathBuf {
    let folder = format!("/dev/shm/modelwire-fuzz-{}-{name}", std::process::id());
    let folder = std::path::PathBuf::from(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("/dev/shm can be written");
    folder
}

/// The CRC-32 of the bytes, as a journal has it.
pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}
