//! Files that are compressed, truncated, damaged or missing.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::error::ErrorKind;
use crate::input::lines::Lines;

/// A file that is removed after the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(extension: &str, bytes: &[u8]) -> Temporary {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("modelwire-source-{}-{number}{extension}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(text, 1).unwrap()
}

/// The number of lines of a file, or the error message.
fn lines(path: &std::path::Path) -> Result<u64, String> {
    let source = Source::of(path);
    let opened = source.open(&Arc::default()).map_err(|error| error.to_string())?;
    let mut lines = Lines::new(opened.bytes);
    loop {
        let before = lines.number();
        match lines.advance() {
            Ok(true) => {}
            Ok(false) => return Ok(before),
            Err(cause) => return Err(source.broke_off(opened.packing, before, cause).to_string()),
        }
    }
}

#[test]
fn compressed_files_are_decompressed_to_the_last_member() {
    let check = |extension: &str, bytes: &[u8], expected: u64| {
        let file = Temporary::new(extension, bytes);
        assert_eq!(lines(&file.0), Ok(expected), "{extension}");
        assert!(Source::of(&file.0).can_be_read_again());
    };
    let text = b"{}\n{}\n";
    check(".jsonl", b"", 0);
    check(".jsonl", b"{", 1);
    check(".jsonl", text, 2);
    for (extension, pack) in [(".gz", gzip as fn(&[u8]) -> Vec<u8>), (".zst", zstd)] {
        check(extension, &pack(text), 2);
        check(&extension.to_uppercase(), &pack(text), 2);
        check(".jsonl", &pack(text), 2);
        check(extension, &pack(b""), 0);
        let members = [pack(text), pack(b""), pack(b"{"), pack(b"}\n{}\n"), pack(b"{}")].concat();
        check(extension, &members, 5);
    }
    let skippable = [0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 7];
    check(".zst", &[&skippable[..], &zstd(text)].concat(), 2);
}

#[test]
fn a_packed_file_that_is_not_read_is_named() {
    for (head, format) in
        [(&b"\xFD7zXZ\0"[..], "xz"), (b"BZh91AY", "bzip2"), (b"PK\x03\x04", "zip")]
    {
        let file = Temporary::new(".jsonl", head);
        let error = Source::of(&file.0).open(&Arc::default()).map(|_| ()).unwrap_err();
        let expected = format!("{} is {format} data. Decompress it", file.0.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    let table = Temporary::new(".csv", b"BZh,text\n");
    assert!(Source::of(&table.0).open(&Arc::default()).is_ok());
}

#[test]
fn a_truncated_file_is_reported_with_its_last_complete_line() {
    let many: String = (0..20_000).map(|row| format!("{{\"row\":{row}}}\n")).collect();
    for (extension, name, packed) in
        [(".gz", "gzip", gzip(many.as_bytes())), (".zst", "zstd", zstd(many.as_bytes()))]
    {
        let mut last = 0;
        for part in 1..=20 {
            let cut = Temporary::new(extension, packed.get(..packed.len() * part / 21).unwrap());
            let message = lines(&cut.0).unwrap_err();
            assert!(message.contains(&format!("its {name} data is incomplete")), "{message}");
            let whole = match message.split_once("after line ") {
                Some((_, rest)) => rest.split(',').next().unwrap().parse().unwrap(),
                None => 0,
            };
            assert!(whole >= last && whole < 20_000, "{message}");
            last = whole;
        }
        assert!(last > 10_000, "{last}");
        // A file that lacks a single byte is not complete.
        let small = if name == "gzip" { gzip(b"{}\n") } else { zstd(b"{}\n") };
        for length in 4..small.len() {
            let cut = Temporary::new(extension, small.get(..length).unwrap());
            assert!(lines(&cut.0).is_err(), "{name} {length}");
        }
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged.iter_mut().skip(middle).for_each(|byte| *byte ^= 0xA5);
        let message = lines(&Temporary::new(extension, &damaged).0).unwrap_err();
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn unreadable_files_are_reported_with_the_reason() {
    let check = |path: &std::path::Path, part: &str| {
        let error =
            Source::of(path).open(&Arc::default()).map(|opened| opened.packing).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::File);
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    };
    for (path, part) in
        [("/no/such/file.jsonl".into(), "does not exist"), (std::env::temp_dir(), "is a folder")]
    {
        check(&path, part);
        let early = Source::of(&path).check().unwrap_err();
        assert!(early.to_string().contains(part), "{early}");
    }
    let file = Temporary::new(".jsonl", b"");
    for path in ["-".as_ref(), "/dev/null".as_ref(), file.0.as_os_str()] {
        Source::of(path).check().unwrap();
    }
    check(&Temporary::new(".gz", b"{}\n").0, "has the file name of gzip data, but");
    check(&Temporary::new(".gz", b"").0, "has the file name of gzip data, but");
    check(&Temporary::new(".zst", &gzip(b"{}")).0, "has the file name of zstd data, but");
}

#[test]
fn a_dash_is_standard_input() {
    assert_eq!(Source::of("-"), Source::Stdin);
    assert_eq!(Source::of("-").name(), "standard input");
    assert!(!Source::Stdin.can_be_read_again());
    assert_eq!(Source::of("a.jsonl"), Source::Path("a.jsonl".into()));
    assert!(!Source::of("/dev/null").can_be_read_again());
}

#[test]
fn a_table_is_known_by_its_name() {
    for (name, separator) in [
        ("a.csv", Some(b',')),
        ("a.b/c.CSV.gz", Some(b',')),
        ("a.tsv.zst", Some(b'\t')),
        ("a.csv.jsonl", None),
        ("csv", None),
        ("a.csv/b", None),
        ("-", None),
    ] {
        assert_eq!(Source::of(name).separator(), separator, "{name}");
    }
}

#[test]
fn columnar_files_are_named_by_their_first_bytes() {
    let found = [&b"PAR1"[..], b"ARRO", b"{\"a\"", b""].map(columns);
    assert_eq!(found, [Some("Parquet"), Some("Arrow"), None, None]);
}

#[test]
fn a_source_is_checked_before_it_is_read() {
    let folder = Source::Path(std::env::temp_dir());
    assert_eq!(folder.check().unwrap_err().kind(), ErrorKind::File);
    let file = Temporary::new("jsonl", b"{}");
    assert!(Source::Path(file.0.clone()).check().is_ok() && Source::Stdin.check().is_ok());
    let missing = Source::Path(file.0.with_extension("missing"));
    assert!(missing.check().is_err());
}
