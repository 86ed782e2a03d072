//! Every public type of the core has an example in its doc comment.

use super::{code, files, read};

/// The paths that the core re-exports, except for bindings: `call::queue::Event` for instance.
fn exports() -> Vec<String> {
    let lines = ["core/src/lib.rs", "core/src/parse.rs"].into_iter().flat_map(code);
    let code: String = lines.map(|(_, line)| line + "\n").collect();
    let mut found = Vec::new();
    for item in code.split(';').filter(|item| !item.contains("cfg(feature = \"bindings\")")) {
        let Some(item) = item.trim().strip_prefix("pub use ") else { continue };
        let item = item.trim_start_matches("crate::").trim_end_matches('}');
        let (module, names) = item.split_once("::{").or(item.rsplit_once("::")).unwrap();
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        found.extend(names.map(|name| format!("{module}::{name}")));
    }
    found
}

/// The public types that a text declares, each with whether its doc comment has a code block.
fn types(text: &str) -> Vec<(&str, bool)> {
    let (mut found, mut has_example) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
        if let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) {
            let name = rest.split(|char: char| !char.is_alphanumeric()).next().unwrap();
            found.push((name, has_example));
        }
        let is_before_item = line.starts_with("///") || line.starts_with("#[");
        has_example = is_before_item && (has_example || line.starts_with("/// ```"));
    }
    found
}

#[test]
fn every_public_type_has_an_example() {
    let all = files("core/src", ".rs");
    let file = |module: &str| format!("core/src/{}.rs", module.replace("::", "/"));
    for export in exports() {
        let (module, name) = export.rsplit_once("::").unwrap();
        let is_module = all.contains(&file(&export));
        let path = file(if is_module { &export } else { module });
        let folder = path.replace(".rs", "/");
        let is_there = |one: &&String| **one == path || one.starts_with(&folder);
        let texts: Vec<_> = all.iter().filter(is_there).map(read).collect();
        let mut types: Vec<_> = texts.iter().flat_map(|text| types(text)).collect();
        types.retain(|(declared, _)| is_module || name == "*" || *declared == name);
        // Functions and constants have no small letter after a capital one.
        let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        assert!(!is_type || types.len() == 1, "{export} is declared {} times", types.len());
        let missing: Vec<_> = types.iter().filter(|(_, has)| !has).map(|(name, _)| name).collect();
        assert!(missing.is_empty(), "{path}: no example in the doc comment of {missing:?}");
    }
}
