//! A small archive of a C compiler: what is hidden, what is renamed, what still links; and archives
//! that are broken. That the library itself fares so is tested where it is installed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_hide::hide;

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Two objects, one of which needs the other and the C library. The one's names end like names that
/// stay: a table of strings has one text for both.
fn archive(folder: &Path) -> Vec<u8> {
    let units = [
        (
            "first_with_a_name_that_is_too_long_for_a_header.c",
            "#include <stdlib.h>\n\
             int shared(int); extern int one_abs; int weak(void);\n\
             int modelwire_sum(int a) { return abs(shared(a)) + one_abs + weak(); }\n",
        ),
        (
            "second.c",
            "int one_abs = 1; static int own(int a) { return -a; }\n\
             __attribute__((weak)) int weak(void) { return 2; }\n\
             __attribute__((visibility(\"protected\"))) int guarded = 3;\n\
             int shared(int a) { return own(a); }\n",
        ),
    ];
    let mut objects = Vec::new();
    for (name, text) in units {
        let source = folder.join(name);
        std::fs::write(&source, text).unwrap();
        let object = source.with_extension("o");
        run(Command::new("cc").args(["-c", "-fPIC", "-fcommon", "-o"]).args([&object, &source]));
        objects.push(object);
    }
    let archive = folder.join("libit.a");
    run(Command::new("ar").arg("rcs").arg(&archive).args(&objects));
    std::fs::read(archive).unwrap()
}

/// Name, and visibility, of what `readelf` finds defined for others.
fn seen(file: &Path) -> Vec<(String, String)> {
    let table = run(Command::new("readelf").args(["-sW"]).arg(file));
    let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut seen: Vec<_> = lines
        .filter_map(|line| match line[..] {
            [_, _, _, _, "GLOBAL" | "WEAK", visibility, section, name] if section != "UND" => {
                Some((name.to_owned(), visibility.to_owned()))
            }
            _ => None,
        })
        .collect();
    seen.sort();
    seen
}

#[test]
fn what_is_defined_is_hidden_and_has_a_name_of_its_own() {
    let folder = folder("hidden");
    let hidden = hide(&archive(&folder)).unwrap();
    assert_eq!(hide(&hidden).unwrap(), hidden, "a second time");
    let file = folder.join("libhidden.a");
    std::fs::write(&file, &hidden).unwrap();
    let expected = [
        ("guarded.modelwire", "HIDDEN"),
        ("modelwire_sum", "HIDDEN"),
        ("one_abs.modelwire", "HIDDEN"),
        ("shared.modelwire", "HIDDEN"),
        ("weak.modelwire", "HIDDEN"),
    ];
    let seen = seen(&file);
    let seen: Vec<(&str, &str)> = seen.iter().map(|(name, how)| (&**name, &**how)).collect();
    assert_eq!(seen, expected);
    // The index, by which linkers find the members, says the same.
    let index = run(Command::new("nm").args(["--print-armap"]).arg(&file));
    assert!(index.contains("modelwire_sum in first_with_a_name_that_is_too_long_for_a_header.o"));
    assert!(index.contains("shared.modelwire in second.o"), "{index}");
}

#[test]
fn a_plugin_links_it_and_exports_nothing_of_it() {
    let folder = folder("linked");
    let file = folder.join("libhidden.a");
    std::fs::write(&file, hide(&archive(&folder)).unwrap()).unwrap();
    let (main, program) = (folder.join("main.c"), folder.join("main.so"));
    // Names that the archive had: these are others.
    std::fs::write(
        &main,
        "int modelwire_sum(int); int shared(int a) { return a; } int one_abs = 7;\n\
         int main(void) { return modelwire_sum(5) + one_abs + shared(1) - 16; }\n",
    )
    .unwrap();
    run(Command::new("cc").arg(&main).arg(&file).arg("-o").arg(folder.join("main")));
    run(&mut Command::new(folder.join("main")));
    run(Command::new("cc")
        .args(["-shared", "-fPIC"])
        .arg(&main)
        .arg(&file)
        .arg("-o")
        .arg(&program));
    let exported = run(Command::new("nm").args(["-D", "--defined-only", "-j"]).arg(&program));
    assert_eq!(exported, "main\none_abs\nshared\n");
}

#[test]
fn what_is_no_archive_of_such_objects_is_refused() {
    assert_eq!(hide(b""), Err("is no archive".into()));
    assert_eq!(hide(b"!<thin>\n"), Err("is no archive".into()));
    assert!(hide(b"!<arch>\nmore").unwrap_err().contains("cut short"));
    let mut text =
        b"!<arch>\nnote.txt/       0           0     0     644     5         `\n".to_vec();
    text.extend(b"hello\n");
    assert!(hide(&text).unwrap_err().contains("note.txt/"));
}

/// An error, or an archive; never a crash.
#[test]
fn broken_archives_are_refused_or_stay_archives() {
    let archive = archive(&folder("broken"));
    for length in 0..archive.len() {
        let _ = hide(&archive[..length]);
    }
    for at in 0..archive.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut broken = archive.clone();
            broken[at] = value;
            let _ = hide(&broken);
        }
    }
    assert!(hide(&archive).is_ok());
}
