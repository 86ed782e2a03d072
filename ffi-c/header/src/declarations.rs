//! The documented declarations of a header, one after another.

/// One declaration with its comment.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// The comment before its first `@` and after its last part.
    pub(crate) doc: String,
    /// The text for each parameter, and for the returned value (`@return`, with an empty name).
    pub(crate) parts: Vec<(String, String)>,
    /// The code with single spaces: "typedef int32_t modelwire_status" for instance.
    pub(crate) code: String,
}

impl Declaration {
    /// The text for a parameter; for the returned value if the name is "".
    pub(crate) fn part(&self, name: &str) -> &str {
        self.parts.iter().find(|(of, _)| of == name).map_or("", |(_, text)| text)
    }
}

/// Everything with its own comment: functions, types, constants.
pub(crate) fn declarations(header: &str) -> Vec<Declaration> {
    header.split("/**").skip(1).filter_map(declaration).collect()
}

/// A declaration that begins with a comment.
fn declaration(text: &str) -> Option<Declaration> {
    let (comment, code) = text.split_once("*/")?;
    let code = code.trim_start();
    let end = if code.starts_with("#define") { '\n' } else { ';' };
    let code = code.split(end).next()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let (doc, parts) = comment_parts(comment);
    Some(Declaration { doc, parts, code })
}

/// A comment's own text, and its parts: each from an `@` to the next one or to an empty line.
fn comment_parts(comment: &str) -> (String, Vec<(String, String)>) {
    let mut doc: Vec<String> = vec![String::new()];
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut is_in_part = false;
    for line in comment.lines() {
        let line = line.trim().trim_start_matches('*').trim();
        if let Some(part) = line.strip_prefix("@return") {
            parts.push((String::new(), part.trim().to_owned()));
            is_in_part = true;
        } else if let Some(part) = line.strip_prefix("@param ") {
            let (name, text) = part.split_once(' ').unwrap_or((part, ""));
            parts.push((name.to_owned(), text.trim().to_owned()));
            is_in_part = true;
        } else if line.is_empty() {
            doc.push(String::new());
            is_in_part = false;
        } else {
            let last = parts.last_mut().filter(|_| is_in_part).map(|(_, text)| text);
            if let Some(text) = last.or(doc.last_mut()) {
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(line);
            }
        }
    }
    doc.retain(|paragraph| !paragraph.is_empty());
    (doc.join("\n"), parts)
}
