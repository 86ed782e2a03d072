//! JSON string escapes: writing and resolving them (RFC 8259 section 7).

/// `text` as a JSON string, including the quotes.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_str(text, &mut quoted);
    quoted
}

/// Writes `text` as a JSON string, including the quotes.
pub(crate) fn write_str(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Resolves the escapes of a validated string. A lone surrogate reads as U+FFFD.
pub(crate) fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let (decoded, used) = escaped_char(escape);
        out.push(decoded);
        rest = escape.get(used..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The character of an escape, where `text` starts after its backslash, and the bytes consumed.
fn escaped_char(text: &str) -> (char, usize) {
    let simple = match text.bytes().next() {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return escaped_utf16(text),
        Some(other) => other as char,
        None => char::REPLACEMENT_CHARACTER,
    };
    (simple, 1)
}

fn escaped_utf16(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        text.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0xFFFD)
    };
    let first = unit(1);
    if (0xD800..0xDC00).contains(&first) && text.get(5..7) == Some("\\u") {
        let second = unit(7);
        if (0xDC00..0xE000).contains(&second) {
            let scalar = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            return (char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 11);
        }
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 5)
}
