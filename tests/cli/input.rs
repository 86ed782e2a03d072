//! The input of `modelwire bulk` as processes read it: every form, packed and not, right and wrong.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use modelwire::Value;
use modelwire_testing::Service;
use support::{Folder, Ran, modelwire_to, run, run_with_input};

/// What the service gave for each row: by name the text, or the message of its failure.
fn results(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let line = Value::parse(line).unwrap();
        let text = |pointer: &str| Some(line.pointer(pointer)?.as_str()?.into_owned());
        let content = text("/response/body/choices/0/message/content")
            .or_else(|| text("/response/body/output/0/content/0/text"))
            .or_else(|| text("/error/message"));
        (text("/custom_id").unwrap(), content.unwrap())
    };
    text.lines().map(row).collect()
}

/// Runs rows of this file, with further arguments.
fn bulk(service: &Service, input: &Path, output: &Path, more: &[&str]) -> Ran {
    let (input, output) = (input.to_str().unwrap(), output.to_str().unwrap());
    let arguments = [&["bulk", input, "-o", output, "--quiet", "--yes"], more].concat();
    run(&mut modelwire_to(service, &arguments))
}

/// The same, in this folder and with all arguments.
fn bulk_in(service: &Service, folder: &Folder, arguments: &[&str]) -> Ran {
    let arguments = [&["bulk", "--yes", "--quiet"], arguments].concat();
    run(modelwire_to(service, &arguments).current_dir(folder.path()))
}

/// How many rows the service worked for.
fn calls(service: &Service) -> u64 {
    service.metered().values().map(|metered| metered.calls).sum()
}

/// So many bodies; the service says the last prompt again.
fn bodies(count: usize) -> String {
    bodies_of(0..count)
}

fn bodies_of(rows: std::ops::Range<usize>) -> String {
    let body = |row| {
        format!(
            "{{\"custom_id\":\"row-{row}\",\"model\":\"echo\",\"messages\":[{{\"role\":\"user\",\
             \"content\":\"Say {row}\"}}]}}\n"
        )
    };
    rows.map(body).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn rows_are_the_same_compressed_or_not_from_a_file_or_pipe() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let text = bodies(20);
    let plain = text.clone().into_bytes();
    let with_mark =
        format!("\u{feff}\r\n{}", text.trim_end().replace('\n', "\r\n\r\n")).into_bytes();
    let (first, second) = text.split_at(text.len() / 2);
    let members = [gzip(first), gzip(second)].concat();
    let frames = [first, second].map(|part| zstd::encode_all(part.as_bytes(), 1).unwrap()).concat();
    let mut all = Vec::new();
    for (name, bytes) in [
        ("plain.jsonl", &plain),
        ("mark.jsonl", &with_mark),
        ("packed.jsonl.gz", &members),
        ("packed.jsonl.zst", &frames),
    ] {
        let output = folder.path().join(format!("{name}.out.jsonl"));
        let ran = bulk(&service, &folder.file(name, bytes), &output, &[]);
        assert_eq!(ran.code(), 0, "{name}: {}", ran.stderr);
        all.push(results(&output));
        let output = folder.path().join(format!("{name}.pipe.jsonl"));
        let arguments = ["bulk", "-", "-o", output.to_str().unwrap(), "--quiet"];
        let ran = run_with_input(&mut modelwire_to(&service, &arguments), bytes.clone());
        assert_eq!(ran.code(), 0, "{name}: {}", ran.stderr);
        all.push(results(&output));
    }
    assert_eq!(all[0].len(), 20);
    assert!(all.iter().all(|results| *results == all[0]));
}

#[test]
fn each_form_is_a_request() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let check = |lines: &str, more: &[&str], names: &[&str]| {
        let input = folder.file("in.jsonl", lines);
        let output = folder.path().join("out.jsonl");
        let ran = bulk(&service, &input, &output, &[more, &["--overwrite"]].concat());
        assert_eq!(ran.code(), 0, "{lines}: {}", ran.stderr);
        let found: Vec<_> = results(&output).into_keys().collect();
        assert_eq!(found, names, "{lines}");
    };
    let messages = r#""messages":[{"role":"user","content":"Hi"}]"#;
    let chat = format!("{{\"model\":\"echo\",{messages}}}");
    let batch = |id: &str, url: &str, body: &str| {
        format!("{{\"custom_id\":{id},\"method\":\"POST\",\"url\":\"{url}\",\"body\":{body}}}\n")
    };
    let response = r#"{"model":"echo","input":"Hi"}"#;
    let lines =
        batch("\"a\"", "/v1/chat/completions", &chat) + &batch("7", "/v1/responses", response);
    check(&lines, &[], &["7", "a"]);
    let without_model = format!("{{\"custom_id\":\"a\",{messages}}}\n");
    check(&without_model, &["--model", "echo", "--default", "max_tokens=5"], &["a"]);
    let table = "{\"question\":\"Hi\",\"no\":1}\n{\"question\":\"Ho\",\"no\":2}\n";
    let asked =
        ["--prompt", "{question}", "--model", "echo", "--id-field", "no", "--system", "Be brief."];
    check(table, &asked, &["1", "2"]);
    check(table, &[&asked[..], &["--operation", "responses"]].concat(), &["1", "2"]);
}

#[test]
fn a_bad_line_is_reported_before_anything_is_sent() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let output = folder.path().join("out.jsonl");
    let check = |name: &str, bytes: &[u8], more: &[&str], code: i32, parts: &[&str]| {
        let input = folder.file(name, bytes);
        let ran = bulk(&service, &input, &output, more);
        assert_eq!(ran.code(), code, "{}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
        assert_eq!(calls(&service), 0, "{}", ran.stderr);
    };
    let good = bodies(5);
    let line = |bad: &str| format!("{good}{bad}\n").into_bytes();
    let bad = line("{\"messages\":[}");
    check(
        "in.jsonl",
        &bad,
        &[],
        2,
        &["in.jsonl:6: not valid JSON at column 14", "--skip-bad-lines"],
    );
    check("in.jsonl", &line("{\"messages\":5}"), &[], 2, &["in.jsonl:6: no model", "--model"]);
    let twice = line(good.lines().next().unwrap());
    check("in.jsonl", &twice, &[], 2, &["in.jsonl:6: custom_id \"row-0\"", "in line 1"]);
    check("in.jsonl", &line("\u{1}"), &["--prompt", "{q}"], 2, &["--model"]);
    let packed = gzip(&bodies(2000));
    let cut = &packed[..packed.len() / 2];
    check("in.jsonl.gz", cut, &[], 5, &["in.jsonl.gz ends after line", "the last complete one"]);
    check("in.jsonl.zst", good.as_bytes(), &[], 5, &["has the file name of zstd data"]);
}

#[test]
fn bad_lines_may_be_outcomes() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let input = folder.file("in.jsonl", format!("{}{{\n5\n{}", bodies(3), bodies(4)));
    let output = folder.path().join("out.jsonl");
    let ran = bulk(&service, &input, &output, &["--skip-bad-lines"]);
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    let found = results(&output);
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found.values().any(|text| text.contains("in.jsonl:4: not valid JSON")), "{found:?}");
    assert!(found.values().any(|text| text.contains("in.jsonl:5: each line must")), "{found:?}");
    let before = calls(&service);
    assert_eq!(before, 4);
    let again = bulk(&service, &input, &output, &["--skip-bad-lines"]);
    assert_eq!((results(&output), calls(&service)), (found, before), "{}", again.stderr);
}

#[test]
fn shards_of_a_file_contain_every_row() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let input = folder.file("in.jsonl", bodies(60));
    let mut all = BTreeMap::new();
    for part in 1..=3 {
        let output = folder.path().join(format!("out-{part}.jsonl"));
        let ran = bulk(&service, &input, &output, &["--shard", &format!("{part}/3")]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        for (name, text) in results(&output) {
            assert_eq!(all.insert(name, text), None);
        }
    }
    assert_eq!(all.len(), 60);
}

#[test]
fn several_files_are_one_input() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("first.jsonl", bodies_of(0..10));
    folder.file("part-1.jsonl", bodies_of(10..30).trim_end());
    folder.file("part-2.jsonl.gz", gzip(&bodies_of(30..40)));
    folder.file("part-3.csv", "id,text\nrow-40,Say 40\n");
    let ran =
        bulk_in(&service, &folder, &["part-2.jsonl.gz", "first.jsonl", "part-1*", "-o", "whole"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let output = |name: &str| folder.path().join(name);
    let all = results(&output("whole"));
    assert_eq!(all.len(), 40);
    assert!((0..40).all(|row| all[&format!("row-{row}")] == format!("Say {row}")), "{all:?}");
    // In the order of the files, then of the lines; and a file that is added later runs.
    let ordered = ["-o", "ordered", "--ordered"];
    let ran =
        bulk_in(&service, &folder, &[&["part-1.jsonl", "first.jsonl"], &ordered[..]].concat());
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let before = calls(&service);
    let more = ["part-2*", "part-1.jsonl", "first.jsonl"];
    let ran = bulk_in(&service, &folder, &[&more, &ordered[..]].concat());
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(calls(&service), before + 10);
    let text = std::fs::read_to_string(output("ordered")).unwrap();
    let names = text.lines().map(|line| Value::parse(line).unwrap().get("custom_id").unwrap());
    let expected = (30..40).chain(10..30).chain(0..10).map(|row| format!("row-{row}"));
    assert!(names.map(|name| name.as_str().unwrap().into_owned()).eq(expected), "{text}");
    // Every part has each row once, and a sample of all of them goes first.
    let mut parts = BTreeMap::new();
    for part in ["1/2", "2/2"] {
        let name = part.replace('/', "-");
        let shard = ["*.jsonl", "part-2.jsonl.gz", "-o", &name, "--shard", part, "--pilot", "20"];
        let ran = bulk_in(&service, &folder, &shard);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        parts.extend(results(&output(&name)));
    }
    assert_eq!(parts, all);
    // Tables and lines in one job; here each line is an object with a text.
    folder.file("text.jsonl", "{\"id\":\"row-41\",\"text\":\"Say 41\"}\n");
    let asked = ["--prompt", "{text}", "--id-field", "id", "--model", "echo"];
    let ran =
        bulk_in(&service, &folder, &[&["*.csv", "text.jsonl", "-o", "table"], &asked[..]].concat());
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let expected = ["40", "41"].map(|row| (format!("row-{row}"), format!("Say {row}")));
    assert_eq!(results(&output("table")), BTreeMap::from(expected));
}

/// They are there in the second run.
#[test]
fn a_pattern_leaves_out_the_files_of_the_job() {
    for order in [&[][..], &["--ordered"]] {
        let (service, folder) = (Service::start().unwrap(), Folder::new());
        folder.file("a.jsonl", bodies_of(0..2));
        folder.file("b.jsonl", bodies_of(2..5));
        let written = ["-o", "out.jsonl", "--errors", "errors.jsonl"];
        let job = |inputs: &[&str]| bulk_in(&service, &folder, &[inputs, &written, order].concat());
        for _ in 0..2 {
            let ran = job(&["*.jsonl*"]);
            assert_eq!(ran.code(), 0, "{}", ran.stderr);
        }
        assert_eq!(calls(&service), 5);
        assert!(job(&["out*"]).stderr.contains("out*: no file has such a name"));
        assert!(job(&["a.jsonl", "out.jsonl"]).stderr.contains("both the input and"));
    }
}

#[test]
fn a_message_names_the_file_and_its_line() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("a.jsonl", bodies_of(0..5));
    folder.file("b.jsonl", format!("{}{{\n\n{}", bodies_of(5..8), bodies_of(1..2)));
    let check = |arguments: &[&str], code: i32, parts: &[&str]| {
        let ran = bulk_in(&service, &folder, arguments);
        assert_eq!(ran.code(), code, "{arguments:?}: {}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    };
    let twice = "b.jsonl:6: custom_id \"row-1\" was used before, in a.jsonl:2;";
    check(&["a.jsonl", "b.jsonl", "-o", "out"], 2, &["b.jsonl:4: not valid JSON", twice]);
    check(&["?.jsonl", "none.jsonl", "-o", "out"], 5, &["none.jsonl does not exist"]);
    check(&["a.jsonl", "c*.jsonl", "-o", "out"], 2, &["c*.jsonl: no file has such a name"]);
    check(&["?.jsonl", "a.jsonl", "-o", "out"], 2, &["a.jsonl is given twice"]);
    check(&["-", "-", "-o", "out"], 2, &["standard input is given twice"]);
    check(&["a.jsonl", "b.jsonl", "-o", "b.jsonl"], 2, &["b.jsonl is both the input and"]);
    check(&["a.jsonl", "b.jsonl", "-o", "out", "--errors", "b.jsonl"], 2, &["is also the input"]);
    check(
        &["a.jsonl", "-o", "out", "--reuse", "old", "--errors", "old"],
        2,
        &["has the answers to reuse"],
    );
    folder.file("prices", "{\"echo\": {\"in\": 1, \"out\": 1}}");
    check(
        &["a.jsonl", "-o", "out", "--prices", "prices", "--errors", "prices"],
        2,
        &["has the prices"],
    );
    check(&["a.jsonl", "-o", "out", "--errors", "/dev/null"], 2, &["is not a regular file"]);
    check(
        &["a.jsonl", "-o", "-", "--errors", "errors"],
        2,
        &["--errors errors needs results in a"],
    );
    check(&["a.jsonl", "-o", "out.csv"], 2, &["JSON lines. Give -o out.jsonl --csv out.csv"]);
    let both = ["a.jsonl", "-o", "out", "--errors", "same", "--csv", "./same"];
    check(&both, 2, &["--csv ./same is also the file for failed rows. Name another file"]);
    check(&["a.jsonl", "-o", "out", "--csv", "a.jsonl"], 2, &["--csv a.jsonl is also the input"]);
    assert_eq!(calls(&service), 0);
    let skip = ["a.jsonl", "b.jsonl", "-o", "out", "--skip-bad-lines", "--json-progress"];
    check(&skip, 3, &["\"file\":\"b.jsonl\"", "\"line\":4,"]);
    folder.file("a.jsonl", bodies_of(0..5).replace("Say 3", "Say 4"));
    check(&["a.jsonl", "-o", "out"], 2, &["a.jsonl:4: \"row-3\" had different content"]);
    folder.file("b.jsonl", bodies_of(5..8).replace("Say 6", "Say 4"));
    check(&["a.jsonl", "b.jsonl", "-o", "out"], 2, &["a.jsonl:4:", "b.jsonl:2: \"row-6\" had"]);
    // Standard input may be one of them.
    let arguments = ["bulk", "c.jsonl", "-", "-o", "stdin", "--quiet"];
    folder.file("c.jsonl", bodies_of(0..5));
    let mut command = modelwire_to(&service, &arguments);
    let ran = run_with_input(command.current_dir(folder.path()), bodies_of(5..9));
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(results(&folder.path().join("stdin")).len(), 9);
}

#[test]
fn the_records_of_a_table_are_rows() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let text = "\u{feff}id,text,\"to, what\"\r\n1,\"A \"\"day\"\"\r\nor two\",fr\r\n\r\n2,,de\r\n";
    folder.file("a.csv", text);
    folder.file("b.csv.gz", gzip(text));
    folder.file("c.tsv", "id\ttext\tto, what\n1\t\"A \"\"day\"\"\r\nor two\"\tfr\n2\t\tde\n");
    let asked = ["--prompt", "{text} in {to, what}", "--id-field", "id", "--model", "echo"];
    for input in ["a.csv", "b.csv.gz", "c.tsv"] {
        let output = format!("{input}.jsonl");
        let ran = bulk_in(&service, &folder, &[&[input, "-o", &output], &asked[..]].concat());
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        let expected = [("1", "A \"day\"\r\nor two in fr"), ("2", " in de")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(results(&folder.path().join(output)), BTreeMap::from(expected), "{input}");
    }
    let before = calls(&service);
    let check = |text: &[u8], more: &[&str], expected: &str| {
        folder.file("bad.csv", text);
        let ran = bulk_in(&service, &folder, &[&["bad.csv", "-o", "out.jsonl"], more].concat());
        assert_eq!(ran.code(), 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
    };
    let asked = ["--prompt", "{text}", "--model", "echo"];
    check(b"id,text\n", &[], "bad.csv is a table with the columns \"id\", \"text\". Give --prompt");
    check(b",text\n1,2\n", &asked, "bad.csv:1: column 1 of the header has no name");
    check(b"text,text\n1,2\n", &asked, "bad.csv:1: the header names \"text\" twice");
    check(b"id,text\n1,\"2\n3\"\n4\n", &asked, "bad.csv:4: the record has 1 field, but");
    check(b"id,text\n1,\xFF\n", &asked, "bad.csv:2: field \"text\" is not valid UTF-8");
    check(b"id,no\n1,2\n", &asked, "bad.csv:2: \"text\" is missing (--prompt); it has");
    check(
        b"id;text\n1;2\n",
        &asked,
        "has \"id;text\", which is one field: separate fields by commas",
    );
    check(b"id;text\n1;2,3\n", &asked, "the header has 1; separate fields by commas in .csv");
    assert_eq!(calls(&service), before);
    folder.file("bad.csv", "text\nGood\n1,2\n");
    let skip = [&["bad.csv", "-o", "out.jsonl", "--skip-bad-lines"], &asked[..]].concat();
    assert_eq!(bulk_in(&service, &folder, &skip).code(), 3);
    let found: Vec<_> = results(&folder.path().join("out.jsonl")).into_values().collect();
    assert!(found.contains(&"Good".to_owned()) && found.len() == 2, "{found:?}");
}

#[test]
fn an_input_without_rows_is_an_error_unless_allowed() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("empty.jsonl", "");
    folder.file("blank.jsonl", "\n \r\n\n");
    folder.file("empty.jsonl.gz", gzip(""));
    folder.file("header.csv", "id,text\n");
    let asked = ["--prompt", "{text}", "--model", "echo"];
    for input in ["empty.jsonl", "blank.jsonl", "empty.jsonl.gz", "header.csv", "/dev/null", "-"] {
        let arguments = [&[input, "-o", "out.jsonl", "--overwrite"], &asked[..]].concat();
        let ran = bulk_in(&service, &folder, &arguments);
        assert_eq!(ran.code(), 2, "{input}: {}", ran.stderr);
        let name = if input == "-" { "standard input" } else { input };
        let expected = format!("modelwire: {name} has no rows; --allow-empty accepts that\n");
        assert_eq!(ran.stderr, expected);
        let ran = bulk_in(&service, &folder, &[&arguments[..], &["--allow-empty"]].concat());
        assert_eq!(ran.code(), 0, "{input}: {}", ran.stderr);
        assert_eq!(std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap(), "");
    }
    // Nothing is left of a pipe without rows, or with a broken first line, but the reason.
    for (input, reason) in
        [("", "standard input has no rows"), ("{\n", "standard input:1: not valid JSON")]
    {
        let mut command = modelwire_to(&service, &["bulk", "--yes", "-", "-o", "piped.jsonl"]);
        let ran = run_with_input(command.current_dir(folder.path()), input);
        assert_eq!(ran.code(), 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(reason) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
        for file in ["piped.jsonl", "piped.jsonl.journal"] {
            assert!(!folder.path().join(file).exists(), "{file}");
        }
    }
    let both = ["empty.jsonl", "blank.jsonl", "-o", "none.jsonl"];
    let ran = bulk_in(&service, &folder, &[&both[..], &["--dry-run"]].concat());
    assert_eq!(ran.code(), 2);
    assert!(ran.stderr.contains("empty.jsonl and 1 more have no rows"), "{}", ran.stderr);
    // One with rows is enough, also where they are of another part.
    folder.file("rows.jsonl", bodies(1));
    let all = [&both[..], &["rows.jsonl"]].concat();
    for shard in ["1/2", "2/2"] {
        let ran =
            bulk_in(&service, &folder, &[&all[..], &["--shard", shard, "--overwrite"]].concat());
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
    }
}
