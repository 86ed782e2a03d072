//! The ABI table of a header, one normalised line for each thing that a compiled program relies on, and
//! the changes that such a table allows.

use std::collections::{BTreeMap, BTreeSet};

/// A constant that changes with each release, and that no program relies on.
const CHANGES: &str = "MODELWIRE_VERSION_NUMBER";

/// The lines of a header's ABI, sorted: each function with the types of its parameters, each constant,
/// each type, and other exported items.
pub fn abi(header: &str) -> Vec<String> {
    let code = without_comments(header);
    let constants = code.lines().filter_map(constant);
    let is_directive = |line: &&str| line.trim_start().starts_with('#');
    let rest: Vec<&str> = code.lines().filter(|line| !is_directive(line)).collect();
    let rest = rest.join(" ");
    let mut lines: Vec<String> = constants.chain(rest.split(';').filter_map(declaration)).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// The name that a line of the table declares: the same name always has the same line.
pub fn name(line: &str) -> &str {
    let of_function_type = line.split_once("(*").map(|(_, rest)| rest);
    let text = of_function_type.unwrap_or(line);
    if let Some(constant) = text.strip_prefix("#define ") {
        return constant.split(' ').next().unwrap_or(constant);
    }
    let end = text.find(['(', ')']).unwrap_or(text.len());
    let before = text.get(..end).unwrap_or(text);
    before.rsplit([' ', '*']).next().unwrap_or(before)
}

/// Begins the lines that a version added.
const SINCE: &str = "# Since ";

/// The lines of a table, sorted.
pub fn lines(table: &str) -> Vec<String> {
    let mut lines: Vec<String> = sections(table).into_iter().flat_map(|(_, lines)| lines).collect();
    lines.sort();
    lines
}

/// The version that added each name of a table.
pub fn since(table: &str) -> BTreeMap<String, String> {
    let of = |(version, lines): (String, BTreeSet<String>)| {
        lines.into_iter().map(move |line| (name(&line).to_owned(), version.clone()))
    };
    sections(table).into_iter().flat_map(of).collect()
}

/// The lines of a table by version, in its order.
fn sections(table: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut sections: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty()) {
        if let Some(version) = line.strip_prefix(SINCE) {
            sections.push((version.trim_end_matches(':').to_owned(), BTreeSet::new()));
        } else if let (false, Some((_, lines))) = (line.starts_with("# "), sections.last_mut()) {
            lines.insert(line.to_owned());
        }
    }
    sections
}

/// The table with new lines under the version that adds them. Existing lines must not change: a removed
/// or changed line is an error.
pub fn with_new_lines(table: &str, current: &[String], version: &str) -> Result<String, String> {
    let old = lines(table);
    let now: BTreeMap<&str, &str> =
        current.iter().map(|line| (name(line), line.as_str())).collect();
    let changed = |line: &String| match now.get(name(line)) {
        Some(found) if found == line => None,
        Some(found) => Some(format!("- {line}\n+ {found}\n")),
        None => Some(format!("- {line}\n")),
    };
    let changes: String = old.iter().filter_map(changed).collect();
    if !changes.is_empty() {
        return Err(changes);
    }
    let mut sections = sections(table);
    if sections.last().is_none_or(|(last, _)| last != version) {
        sections.push((version.to_owned(), BTreeSet::new()));
    }
    let new = current.iter().filter(|line| !old.contains(line)).cloned();
    sections.last_mut().into_iter().for_each(|(_, lines)| lines.extend(new.clone()));
    let is_comment = |line: &&str| line.starts_with("# ") && !line.starts_with(SINCE);
    let comments = table.lines().filter(is_comment).map(|line| format!("{line}\n"));
    let of = |(version, lines): (String, BTreeSet<String>)| {
        let lines: String = lines.into_iter().map(|line| line + "\n").collect();
        if lines.is_empty() { lines } else { format!("\n{SINCE}{version}:\n{lines}") }
    };
    Ok(comments.chain(sections.into_iter().map(of)).collect())
}

/// A header without its comments, line by line.
pub(crate) fn without_comments(header: &str) -> String {
    let mut parts = header.split("/*");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        code.push(' ');
        code.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    let without = |line: &str| line.split("//").next().unwrap_or(line).to_owned() + "\n";
    code.lines().map(without).collect()
}

/// A macro that is a number.
fn constant(line: &str) -> Option<String> {
    let (name, value) = line.trim().strip_prefix("#define ")?.split_once(' ')?;
    let value = value.trim();
    let is_number = value.starts_with(|first: char| first.is_ascii_digit() || first == '(');
    let is_told = name != CHANGES && !name.contains('(') && (is_number || value == "SIZE_MAX");
    is_told.then(|| format!("#define {name} {value}"))
}

/// A type, a function, or another exported item.
fn declaration(text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(at) = words.find("typedef ") {
        return Some(with_bare_parameters(words.get(at..)?));
    }
    let (_, declared) = words.split_once("MODELWIRE_API ")?;
    Some(with_bare_parameters(declared))
}

/// `int32_t f(const a *a, size_t b)` without the names of its parameters.
fn with_bare_parameters(declared: &str) -> String {
    // In a function type the second parentheses are those of the parameters.
    let Some(open) = declared.rfind('(') else { return declared.to_owned() };
    let (before, rest) = declared.split_at(open);
    let inside = rest.trim_start_matches('(').trim_end_matches(')');
    let bare = |parameter: &str| {
        let parameter = parameter.trim();
        let end = parameter.rfind([' ', '*']).map_or(parameter.len(), |at| at + 1);
        parameter.get(..end).unwrap_or(parameter).trim_end().to_owned()
    };
    let parameters: Vec<String> = inside.split(',').map(bare).collect();
    format!("{before}({})", parameters.join(", "))
}
