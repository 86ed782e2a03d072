//! What is read of a header, and what becomes of the table of its ABI.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::{abi, functions, name, since, with_new_lines};

const HEADER: &str = "#define MODELWIRE_API __attribute__((visibility(\"default\")))\n\
    #define MODELWIRE_VERSION_NUMBER 1000\n\
    #define MODELWIRE_NUL SIZE_MAX\n\
    #define MODELWIRE_OK 0\n\
    #define MODELWIRE_E_A (-1)\n\
    MODELWIRE_API extern const uint8_t modelwire_needs_1;\n\
    static const uint8_t *const needs __attribute__((used)) = &modelwire_needs_1;\n\
    typedef struct modelwire_x modelwire_x;\n\
    typedef int32_t modelwire_status; // of course\n\
    /** int32_t no(void); MODELWIRE_API */\n\
    typedef int32_t (*modelwire_fn)(void *user_data,\n  const modelwire_x *x);\n\
    extern \"C\" {\n\
    MODELWIRE_API const char *modelwire_a(const modelwire_x *x);\n\
    MODELWIRE_API\n\
    modelwire_status modelwire_b(uint64_t tag,\n  size_t *length,\n  modelwire_x **out);\n\
    MODELWIRE_API int32_t modelwire_c(void);\n}\n";

const LINES: [&str; 10] = [
    "#define MODELWIRE_E_A (-1)",
    "#define MODELWIRE_NUL SIZE_MAX",
    "#define MODELWIRE_OK 0",
    "const char *modelwire_a(const modelwire_x *)",
    "extern const uint8_t modelwire_needs_1",
    "int32_t modelwire_c(void)",
    "modelwire_status modelwire_b(uint64_t, size_t *, modelwire_x **)",
    "typedef int32_t (*modelwire_fn)(void *, const modelwire_x *)",
    "typedef int32_t modelwire_status",
    "typedef struct modelwire_x modelwire_x",
];

#[test]
fn functions_of_a_header() {
    let found = functions(HEADER);
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["modelwire_a", "modelwire_b", "modelwire_c"]);
    assert_eq!(found[2].returns, "int32_t");
    assert_eq!(found[1].parameters, ["uint64_t tag", "size_t *length", "modelwire_x **out"]);
}

#[test]
fn the_abi_of_a_header() {
    assert_eq!(abi(HEADER), LINES);
    let names = LINES.map(name);
    assert_eq!(names[..4], ["MODELWIRE_E_A", "MODELWIRE_NUL", "MODELWIRE_OK", "modelwire_a"]);
    assert_eq!(names[4..7], ["modelwire_needs_1", "modelwire_c", "modelwire_b"]);
    assert_eq!(names[7..], ["modelwire_fn", "modelwire_status", "modelwire_x"]);
}

#[test]
fn lines_are_added_and_never_changed() {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let listed = "# All.\n\n# Since 1.0.0:\n#define A 1\nint a(int)\n";
    let more = lines(&["#define A 1", "#define B 2", "int a(int)", "int b(void)"]);
    let added = format!("{listed}\n# Since 1.1.0:\n#define B 2\nint b(void)\n");
    assert_eq!(with_new_lines(listed, &more, "1.1.0").unwrap(), added);
    assert_eq!(with_new_lines(&added, &more, "1.2.0").unwrap(), added);
    assert_eq!(since(&added)["b"], "1.1.0");
    assert_eq!(super::lines(&added), more);
    for (current, told) in [
        (["#define A 2", "int a(int)"], "- #define A 1\n+ #define A 2\n"),
        (["#define A 1", "long a(int)"], "- int a(int)\n+ long a(int)\n"),
        (["#define A 1", "int a(int, int)"], "- int a(int)\n+ int a(int, int)\n"),
        (["#define A 1", "int b(int)"], "- int a(int)\n"),
    ] {
        assert_eq!(with_new_lines(listed, &lines(&current), "1.1.0").unwrap_err(), told);
    }
}
