//! The file of failed rows: what it has, and what it may not be.

use super::*;

/// The names of the rows in a file of failed rows.
fn names(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["error"]["message"], "no");
        line["custom_id"].as_str().unwrap().to_owned()
    };
    text.lines().map(line).collect()
}

fn with_errors(folder: &Folder, results: &str, errors: &str) -> StoreOptions {
    StoreOptions { errors: Some(folder.path(errors)), ..folder.options(results) }
}

#[test]
fn it_has_the_rows_that_failed_so_far() {
    for (results, errors) in
        [("out.jsonl", "errors.jsonl"), ("out.jsonl.gz", "errors.jsonl.zst"), ("out", "errors.gz")]
    {
        for is_ordered in [false, true] {
            let folder = Folder::new();
            let options = with_errors(&folder, results, errors);
            let options = StoreOptions { is_ordered, ..options };
            let check = |expected: &[&str]| {
                let path = folder.path(errors);
                let mut text = String::new();
                let mut reader = Format::of(&path).reader(fs::File::open(&path).unwrap()).unwrap();
                reader.read_to_string(&mut text).unwrap();
                assert_eq!(names(&text), expected, "{results} {errors} {is_ordered}");
            };
            let (store, _) = open(&options);
            store.close(None).unwrap();
            check(&[]);
            let (mut store, _) = open(&options);
            store.done("a");
            store.fail("b");
            store.close(None).unwrap();
            check(&["b"]);
            let (mut store, _) = open(&options);
            store.fail("c");
            store.done("d");
            let mut order = Order::new();
            ["d", "c", "b", "a"].iter().for_each(|key| order.push(&row(key).key));
            let order = is_ordered.then_some(&order);
            store.close(order).unwrap();
            check(if is_ordered { &["c", "b"] } else { &["b", "c"] });
            // Results that are in order already are read again.
            open(&options).0.close(order).unwrap();
            check(if is_ordered { &["c", "b"] } else { &["b", "c"] });
            let again = StoreOptions { retries_failed: true, ..options.clone() };
            let (mut store, _) = open(&again);
            store.done("b");
            store.close(None).unwrap();
            check(&[]);
            assert!(!folder.names().iter().any(|name| name.ends_with(".rewriting")));
        }
    }
}

#[test]
fn the_target_of_a_link_is_replaced() {
    let folder = Folder::new();
    crate::system::symlink("target.jsonl", folder.path("link.jsonl")).unwrap();
    open(&with_errors(&folder, "out.jsonl", "link.jsonl")).0.close(None).unwrap();
    assert!(folder.path("link.jsonl").is_symlink() && folder.path("target.jsonl").is_file());
}

#[test]
fn it_is_none_of_the_files_of_the_job() {
    let folder = Folder::new();
    let check = |errors: &str, more: fn(&mut StoreOptions), expected: &str| {
        let mut options = with_errors(&folder, "out.jsonl", errors);
        more(&mut options);
        let error = try_open(&options);
        let error = error.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(folder.names(), [""; 0]);
    };
    let folder_name = folder.0.file_name().unwrap().to_str().unwrap();
    let detour = format!("../{folder_name}/out.jsonl");
    check("out.jsonl", |_| (), "is also the file for the results");
    check(&detour, |_| (), "is also the file for the results");
    check(
        "out.jsonl.part",
        |options| options.is_ordered = true,
        "is also the file for the results",
    );
    check("out.jsonl.journal", |_| (), "is also a file of the journal");
    check("out.jsonl.unknown", |_| (), "is also a file of the journal");
    check("out.jsonl.journal.status", |_| (), "is also a file of the journal");
    check("out.jsonl.journal.set", |_| (), "is also a file of the journal");
    check("out.jsonl.rewriting", |_| (), "needs for a moment");
    // The name that the file has while it is written.
    let of_errors = |options: &mut StoreOptions| {
        let path = options.results.as_ref().unwrap();
        options.results = Some(path.with_file_name("errors.jsonl.rewriting"));
    };
    check("errors.jsonl", of_errors, "needs for a moment");
    check("errors.jsonl", |options| options.results = None, "needs results in a file");
    check("", |_| (), "is a folder");
    check("none/errors.jsonl", |_| (), "there is no folder");
}

#[test]
fn results_are_not_named_like_a_table() {
    let folder = Folder::new();
    for (name, format) in
        [("out.csv", "CSV"), ("out.CSV.gz", "CSV"), ("out.tsv", "TSV"), ("out.parquet", "Parquet")]
    {
        let error = folder.options(name).check().unwrap_err();
        let expected =
            format!("is named like {format}, but results are JSON lines. Name a .jsonl file");
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
    folder.options("out.csv.jsonl").check().unwrap();
}
