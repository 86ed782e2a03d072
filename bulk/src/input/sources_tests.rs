//! Patterns, files that are named twice, and places.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[&str]) -> Folder {
        let path = std::env::temp_dir().join(format!("modelwire-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path); // left by a killed process with this ID
        fs::create_dir_all(&path).unwrap();
        for file in files {
            fs::write(path.join(file), "{}\n").unwrap();
        }
        Folder(path)
    }

    fn of(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let arguments: Vec<_> = arguments.iter().map(|argument| self.0.join(argument)).collect();
        let sources = Sources::of(&arguments, |_| false).map_err(|error| error.to_string())?;
        let names = sources.0.iter().map(|source| source.name());
        let folder = format!("{}{}", self.0.display(), std::path::MAIN_SEPARATOR);
        Ok(names.map(|name| name.replace(&folder, "")).collect())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_pattern_is_the_files_it_matches_by_name() {
    let folder = Folder::new("patterns", &["b.jsonl", "a.jsonl", "c.csv", ".d.jsonl", "[a].jsonl"]);
    fs::create_dir(folder.0.join("folder.jsonl")).unwrap();
    let check = |arguments: &[&str], expected: &[&str]| {
        assert_eq!(folder.of(arguments).unwrap(), expected, "{arguments:?}");
    };
    check(&["*.jsonl"], &["[a].jsonl", "a.jsonl", "b.jsonl"]);
    check(&["?.jsonl", "c.csv"], &["a.jsonl", "b.jsonl", "c.csv"]);
    check(&["c.csv", "[ab].jsonl"], &["c.csv", "a.jsonl", "b.jsonl"]);
    check(&["[a].jsonl"], &["[a].jsonl"]); // there is a file of this name
    check(&["missing.jsonl"], &["missing.jsonl"]); // reported when it is opened
    let error = folder.of(&["a.jsonl", "no*.jsonl"]).unwrap_err();
    assert!(error.ends_with("no*.jsonl: no file has such a name"), "{error}");
    let error = folder.of(&["a**.jsonl"]).unwrap_err();
    assert!(error.contains("a**.jsonl: Pattern syntax error"), "{error}");
}

#[test]
fn a_source_that_is_named_twice_is_refused() {
    let folder = Folder::new("twice", &["a.jsonl", "b.jsonl"]);
    let detour = format!("../{}/*", folder.0.file_name().unwrap().display());
    for again in ["a.jsonl", "./a.jsonl", "*", &detour] {
        let error = folder.of(&["a.jsonl", again]).unwrap_err();
        assert!(error.ends_with("a.jsonl is given twice. Name each input once"), "{error}");
    }
    assert!(Sources::of(&["-", "-"], |_| false).is_err());
    assert!(!Sources::of(&["-", "b.jsonl"], |_| false).unwrap().can_be_read_again());
}

#[test]
fn a_number_has_its_place() {
    let sources = Sources::of(&["a.jsonl", "b.jsonl", "-"], |_| false).unwrap();
    for (source, line, place) in [
        (0, 1, "a.jsonl:1"),
        (1, 31_234, "b.jsonl:31234"),
        (2, 1 << 39, "standard input:549755813888"),
    ] {
        let number = number_of(source, line);
        assert_eq!((sources.place(number).as_str(), line_of(number)), (place, line));
    }
    assert!(number_of(0, 1 << 39) < number_of(1, 1));
    assert_eq!(number_of(0, 7), 7);
    assert_eq!(sources.name(), "a.jsonl and 2 more");
    assert_eq!(Sources::of(&["a.jsonl"], |_| false).unwrap().name(), "a.jsonl");
}

#[test]
fn standard_input_leaves_the_output_to_its_owner() {
    for inputs in [&["-"][..], &["-", "a.jsonl"], &["missing.jsonl"]] {
        assert_eq!(Sources::of(inputs, |_| false).unwrap().readers(), Readers::OWNER);
    }
}
