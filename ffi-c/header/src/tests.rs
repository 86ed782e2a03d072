//! What becomes of a `texts!` table, and what is told of one that is wrong.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use super::{expand, functions, with_enumerators, with_limits, with_new_symbols};

#[test]
fn a_table_becomes_declarations() {
    let source = "before\n\
        texts! { error: modelwire_error,\n\
        \x20   /// The body,\n\
        \x20   /// a part of it.\n\
        \x20   modelwire_error_body(at, length) => error\n\
        \x20       .body();\n\
        \n\
        \x20   /// A code.\n\
        \x20   modelwire_error_code() => error.code();\n\
        }\n\
        after\n";
    let expected = "before\n\
        /// The body,\n\
        /// a part of it.\n\
        ///\n\
        /// @param error   the error\n\
        /// @param at      which piece, from 0\n\
        /// @param length  its length in bytes; may be NULL\n\
        #[unsafe(no_mangle)]\n\
        pub unsafe extern \"C\" fn modelwire_error_body(error: *const modelwire_error, at: usize, length: *mut usize) -> *const c_char {}\n\
        /// A code.\n\
        ///\n\
        /// @param error  the error\n\
        #[unsafe(no_mangle)]\n\
        pub unsafe extern \"C\" fn modelwire_error_code(error: *const modelwire_error) -> *const c_char {}\n\
        after\n";
    assert_eq!(expand(source).unwrap(), expected);
}

#[test]
fn a_wrong_table_is_named() {
    for (table, told) in [
        ("texts! { error\n}\n", "line 1: a table begins"),
        ("texts! { e: t,\n    a() => b;\n}\n", "line 2: a has no doc comment"),
        ("texts! { e: t,\n    /// A.\n    a(size) => b;\n}\n", "line 3: a: there is no `size`"),
        ("texts! { e: t,\n    nothing\n}\n", "line 2: neither a comment nor"),
        ("texts! { e: t,\n", "has no end"),
    ] {
        let cause = expand(table).unwrap_err();
        assert!(cause.contains(told), "{cause}");
    }
}

#[test]
fn functions_of_a_header() {
    let header = "#define MODELWIRE_API x\n\
        /** MODELWIRE_API_KEY */\n\
        MODELWIRE_API const char *modelwire_a(const modelwire_error *error);\n\
        MODELWIRE_API\n\
        const char *modelwire_b(const modelwire_error *error,\n  size_t at,\n  size_t *length);\n\
        MODELWIRE_API int32_t modelwire_c(void);\n";
    let found = functions(header);
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["modelwire_a", "modelwire_b", "modelwire_c"]);
    let kinds: Vec<[bool; 3]> =
        found.iter().map(|one| [one.is_text(), one.has_index(), one.has_length()]).collect();
    assert_eq!(kinds, [[true, false, false], [true, true, true], [false, false, false]]);
    assert_eq!(found[2].returns, "int32_t");
}

#[test]
fn symbols_are_only_added() {
    let names = ["b", "c"].map(str::to_owned);
    assert_eq!(with_new_symbols("# All.\na\nb\n", &names), "# All.\na\nb\nc\n");
}

#[test]
fn bounds_become_constants() {
    let bounds = "no\nlimits! {\n    /// Bytes,\n    /// many.\n    a_bytes_max: A = 1, number 1;\n\n    \
        /// More.\n    b_max: B = 2, number 2;\n}\nno\n";
    let source = "before\n// limits: here\nafter";
    let expected = "before\n/// Bytes,\n/// many.\npub const MODELWIRE_LIMIT_A_BYTES: i32 = 1;\n\
        /// More.\npub const MODELWIRE_LIMIT_B: i32 = 2;\n\nafter";
    assert_eq!(with_limits(source, bounds).unwrap(), expected);
    assert_eq!(with_limits("no mark", bounds).unwrap(), "no mark");
    let wrapper = "a\nenum class limit : std::int32_t {\nold\n};\nb\n};\n";
    let expected = "a\nenum class limit : std::int32_t {\n  // From the table in core/src/bounds.rs, by \
        `make header`.\n  /// Bytes,\n  /// many.\n  a_bytes = MODELWIRE_LIMIT_A_BYTES,\n  /// More.\n  \
        b = MODELWIRE_LIMIT_B,\n};\nb\n};\n";
    assert_eq!(with_enumerators(wrapper, bounds).unwrap(), expected);
    assert_eq!(with_enumerators(expected, bounds).unwrap(), expected);
    assert!(with_enumerators("", bounds).unwrap_err().contains("enum class limit"));
    for (wrong, told) in [("", "no table"), ("\nlimits! {\nx\n}\n", "a row is")] {
        assert!(with_limits(source, wrong).unwrap_err().contains(told));
    }
}
