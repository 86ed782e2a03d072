//! What is read of a header.
#![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::{functions, with_new_symbols};

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
    assert_eq!(found[2].returns, "int32_t");
}

#[test]
fn symbols_are_only_added() {
    let names = ["b", "c"].map(str::to_owned);
    assert_eq!(with_new_symbols("# All.\na\nb\n", &names), "# All.\na\nb\nc\n");
}
