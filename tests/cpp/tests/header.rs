//! The headers as compilers take them: alone, twice, in every standard, without exceptions, both
//! kinds of units in one program, among macros of others; and that nothing of the C header is
//! forgotten.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::sync::OnceLock;

use modelwire_header::{HEADER, functions};
use modelwire_testing::Service;
use modelwire_tests_c::{Library, Program, compile_with, forgotten_scenarios, root};
use modelwire_tests_cpp::{STRICT, compile, compilers};

const BARE: [&str; 2] = ["-fno-exceptions", "-fno-rtti"];

/// Uses enough of the header that templates are made, and has no main.
const UNIT: &str = r#"
#include <modelwire.hpp>
#include <modelwire.hpp>
const char *NAME();
const char *NAME() {
  auto request = modelwire::request::chat("m").user("x").set("n", 1);
  if (auto client = modelwire::client::make()) {
    auto call = client->try_start(request, [](const modelwire::event_view &) {});
    auto end = client->try_stream(request, [](auto &&) { return modelwire::flow::stop; });
    (void)call;
    (void)end;
  }
  return request.problem() == nullptr ? "" : "a problem";
}
"#;

const MAIN: &str = r#"
#include <modelwire.hpp>
const char *first();
const char *second();
#if defined(__cpp_lib_expected)
static bool is_expected() {
  const std::expected<modelwire::value, modelwire::error> good = modelwire::value::parse("1");
  const std::expected<modelwire::value, modelwire::error> bad = modelwire::value::parse("[");
  return good && !bad && bad.error().kind() == modelwire::error_kind::argument;
}
#else
static bool is_expected() { return true; }
#endif
int main() { return *first() + *second() + !is_expected(); }
"#;

/// The objects of a unit, compiled with exceptions and without, and of a main that calls two.
struct Units {
    name: String,
    compiler: &'static str,
    main: String,
    /// Compiled as the first unit and as the second: with exceptions, then without.
    objects: [[String; 2]; 2],
}

impl Units {
    fn compiled(name: &str, compiler: &'static str, standard: &str) -> Units {
        let object = |part: &str, text: &str, flags: &[&str]| {
            let source = Library::built().file(&format!("{name}-{part}.cpp"));
            let object = source.with_extension("o");
            std::fs::write(&source, text).unwrap();
            let files = ["-c", source.to_str().unwrap(), "-o", object.to_str().unwrap()];
            compile_with(compiler, &[&[standard], STRICT.as_slice(), flags, &files].concat());
            object.to_str().unwrap().to_owned()
        };
        let both = |part: &str| {
            let text = UNIT.replace("NAME", part);
            [object(part, &text, &[]), object(&format!("{part}-bare"), &text, &BARE)]
        };
        let objects = [both("first"), both("second")];
        Units { name: name.to_owned(), compiler, main: object("main", MAIN, &[]), objects }
    }

    /// Links two units into one program and runs it; of each, whether it is without exceptions.
    fn check_linked(&self, first_is_bare: bool, second_is_bare: bool) {
        let library = Library::built();
        let program = library.file(&format!("{}-{first_is_bare}-{second_is_bare}", self.name));
        let rpath = format!("-Wl,-rpath,{}", library.file("").display());
        let [firsts, seconds] = &self.objects;
        let objects = [
            &firsts[usize::from(first_is_bare)],
            &seconds[usize::from(second_is_bare)],
            &self.main,
        ];
        let link = [library.path().to_str().unwrap(), &rpath, "-pthread"];
        let out = ["-o", program.to_str().unwrap()];
        compile_with(self.compiler, &[&objects.map(String::as_str)[..], &link, &out].concat());
        // No service: every client fails, clearly.
        Program::new(&program).run().succeeded();
    }
}

/// Whether a compiler takes a text, with warnings as errors.
fn check_alone(name: &str, compiler: &str, flags: &[&str], text: &str) {
    let source = Library::built().file(&format!("{name}.cpp"));
    std::fs::write(&source, text).unwrap();
    let files = ["-fsyntax-only", source.to_str().unwrap()];
    compile_with(compiler, &[STRICT.as_slice(), flags, &files].concat());
}

fn check_standard(standard: &str) {
    for compiler in compilers() {
        let name = format!("{}{}", compiler, standard);
        for flags in [[].as_slice(), &BARE] {
            let flags = [&[standard], flags].concat();
            let name = format!("{name}-alone");
            check_alone(&name, compiler, &flags, "#include <modelwire.hpp>\n");
            check_alone(&name, compiler, &flags, "#include <modelwire_fwd.hpp>\n");
            if standard != "-std=c++17" {
                check_alone(&name, compiler, &flags, "#include <modelwire_coro.hpp>\n");
            }
        }
        let units = Units::compiled(&name, compiler, standard);
        for (first_is_bare, second_is_bare) in [(false, true), (false, false), (true, true)] {
            units.check_linked(first_is_bare, second_is_bare);
        }
    }
}

#[test]
fn the_header_is_cpp17() {
    check_standard("-std=c++17");
}

#[test]
fn the_header_is_cpp20() {
    check_standard("-std=c++20");
}

#[test]
fn the_header_is_cpp23() {
    check_standard("-std=c++2b");
}

/// What a program may do with names that are only declared; then they are what they were said to
/// be.
const FORWARD: &str = r#"
#include <modelwire_fwd.hpp>
struct window {
  void show(const modelwire::response& answer, modelwire::error_kind kind);
  modelwire::stream* stream = nullptr;
  modelwire::result<modelwire::call> start(const modelwire::client& client);
};
#include <modelwire_coro.hpp>
void window::show(const modelwire::response& answer, modelwire::error_kind kind) {
  (void)answer.text(), (void)(kind == modelwire::error_kind::timed_out);
}
modelwire::result<modelwire::call> window::start(const modelwire::client& client) {
  (void)stream->is_over();
  return client.try_call(modelwire::request::chat("m"));
}
const modelwire::coro::client* service(const modelwire::coro::client* of);
const modelwire::coro::client* service(const modelwire::coro::client* of) { return of; }
"#;

#[test]
fn the_forward_header_compiles_alone() {
    for compiler in compilers() {
        for flags in [["-std=c++20"].as_slice(), &["-std=c++20", "-fno-exceptions"]] {
            check_alone("forward", compiler, flags, FORWARD);
        }
    }
}

/// Macros of other headers stand before ours and in the code that uses them, or come behind.
#[test]
fn macros_of_other_headers_do_not_break_the_header() {
    let macros = format!("#include \"{}\"\n", root().join("tests/cpp/macros.hpp").display());
    let coroutines = "#include <modelwire_coro.hpp>\n";
    let unit = UNIT.replace("NAME", "unit");
    for compiler in compilers() {
        for standard in ["-std=c++17", "-std=c++20"] {
            let headers = if standard == "-std=c++17" { "" } else { coroutines };
            let before = format!("{macros}{headers}{unit}");
            let after = format!("{headers}{unit}{macros}");
            for (name, text) in [("before", before), ("after", after)] {
                check_alone(&format!("macros-{name}"), compiler, &[standard], &text);
            }
        }
    }
}

#[test]
fn a_program_without_exceptions_does_everything() {
    for compiler in compilers() {
        let flags = [&["-std=c++17"], BARE.as_slice()].concat();
        let name = format!("{compiler}-plain");
        let program = compile(compiler, &flags, &name, &["scenarios/plain.cpp"]);
        let service = Service::start().unwrap();
        Program::new(&program).at(&service).run().succeeded();
        Program::under_valgrind(&program).at(&service).run().succeeded();
    }
}

const REFUSING: [&str; 3] = ["-std=c++17", "-Wall", "-Werror"];

/// A folder with the header, compiled before the many small programs that include it.
fn precompiled() -> &'static str {
    static FOLDER: OnceLock<String> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Library::built().file("precompiled");
        std::fs::create_dir_all(&folder).unwrap();
        let header = root().join("include/modelwire.hpp");
        let compiled = folder.join("modelwire.hpp.gch");
        let files = ["-xc++-header", header.to_str().unwrap(), "-o", compiled.to_str().unwrap()];
        compile_with("c++", &[REFUSING.as_slice(), &files].concat());
        folder.to_str().unwrap().to_owned()
    })
}

/// A use of the wrapper that has to be refused, and by which words.
fn check_refused(name: &str, code: &str) {
    let source = Library::built().file(&format!("{name}.cpp"));
    let text = format!(
        "#include <modelwire.hpp>\nvoid use(modelwire::client& c, modelwire::request& r, modelwire::queue& q);\nvoid use(modelwire::client& c, modelwire::request& r, modelwire::queue& q) {{ (void)c, (void)r, (void)q; {code} }}\n"
    );
    std::fs::write(&source, text).unwrap();
    let files = ["-fsyntax-only", "-I", precompiled(), source.to_str().unwrap()];
    let arguments = [REFUSING.as_slice(), &files].concat();
    let compiled = std::panic::catch_unwind(|| compile_with("c++", &arguments));
    assert!(compiled.is_err(), "the compiler takes {code}");
}

#[test]
fn wrong_uses_do_not_compile() {
    // This use is right and compiles, so what follows is not refused for some other reason.
    assert!(
        std::panic::catch_unwind(|| check_refused("right", "c.run(r.set(\"a\", 1));")).is_err()
    );
    check_refused("copied", "auto copy = r;");
    check_refused("lost_call", "c.start(r, [](auto&&) {});");
    check_refused("lost_result", "c.try_run(r);");
    check_refused("lost_event", "q.next();");
    check_refused("lost_submit", "q.try_submit(c, r, 1);");
    check_refused("no_tag", "q.submit(c, r);");
    check_refused("character", "r.set(\"a\", 'c');");
    check_refused("null", "r.set(\"a\", nullptr);");
    check_refused("bool_callback", "c.stream(r, [](auto&&) { return true; });");
    check_refused("list_of_pointers", "r.set(\"a\", {{\"b\", \"c\"}});");
    check_refused("list_of_null", "r.set(\"a\", {nullptr});");
    check_refused("list_as_json", "r.set_json(\"a\", {\"b\", \"c\"});");
    check_refused("null_as_json", "r.add_json(\"a\", nullptr);");
    check_refused("no_pair", "r.messages({{\"user\", {\"b\", \"c\"}}});");
    check_refused("narrow_get", "(void)c.run(r).get<int>(\"/a\");");
}

/// What would dangle, or be used before it is looked at.
#[test]
fn uses_that_would_dangle_do_not_compile() {
    for (name, right) in [
        ("copied_text", "std::string t = c.run(r).text(); auto s = c.run(r).json(); s += t;"),
        ("copied_reason", "std::optional<std::string> f = c.run(r).finish_reason(); (void)f;"),
        ("copied_event", "std::string t = (*q.next()).text(); (void)t;"),
        ("copied_hint", "std::string h = c.try_run(r).error().hint(); (void)h;"),
        ("range", "for (auto&& chunk : c.stream(r)) (void)chunk;"),
        ("number", "(void)c.run(r).http_status(); (void)c.run(r).get<bool>(\"/a\");"),
        ("of_view", "auto s = c.stream(r); (void)s.try_response()->usage();"),
    ] {
        assert!(std::panic::catch_unwind(|| check_refused(name, right)).is_err(), "{right}");
    }
    check_refused("view_of_text", "std::string_view t; t = c.run(r).headers().at(0).value;");
    check_refused("header_list", "for (auto h : c.run(r).headers()) (void)h;");
    check_refused("calls", "(void)c.run(r).tool_calls();");
    check_refused("info", "(void)c.run(r).info();");
    check_refused("value", "(void)c.run(r).value();");
    check_refused("get_view", "(void)c.run(r).get<std::string_view>(\"/a\");");
    check_refused("usage_view", "(void)c.usage_value().view();");
    check_refused("through_result", "auto t = c.try_run(r)->text();");
    check_refused("through_next", "auto t = q.next()->text();");
    check_refused("response_of_event", "(void)(*q.next()).response();");
    check_refused("chunk", "(void)c.stream(r).next();");
    check_refused("end_of_stream", "(void)c.stream(r).response();");
    check_refused("info_of_error", "(void)c.try_run(r).error().info();");
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The words of a file that are names of C, comments aside.
fn names_in(source: &str) -> BTreeSet<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with('*'));
    let code = code.filter(|line| !line.starts_with("#include"));
    let code = code.map(|line| line.split("//").next().unwrap());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| word.starts_with("modelwire_")).map(str::to_owned).collect()
}

/// Functions of C without a C++ form, and why.
const NOT_CALLED: [(&str, &str); 2] = [
    ("modelwire_response_tokens", "usage() has every count"),
    ("modelwire_event_read_all", "a call into C costs C++ nothing"),
];

#[test]
fn every_function_of_c_has_its_wrapper() {
    let wrapped = names_in(&read("include/modelwire.hpp"));
    let declared: BTreeSet<String> =
        functions(&read(HEADER)).into_iter().map(|function| function.name).collect();
    let declared: BTreeSet<String> =
        declared.into_iter().filter(|name| name.starts_with("modelwire_")).collect();
    assert!(declared.len() >= 60, "only {declared:?} were found");
    let excused = |name: &&String| NOT_CALLED.iter().any(|(excused, _)| excused == name);
    let forgotten: Vec<&String> =
        declared.difference(&wrapped).filter(|name| !excused(name)).collect();
    assert!(
        forgotten.is_empty(),
        "include/modelwire.hpp does not call these functions of {HEADER}\n{forgotten:#?}"
    );
}

/// Numbers of C without a C++ form, and why.
const NOT_NAMED: [(&str, &str); 15] = [
    ("MODELWIRE_H", "the include guard"),
    ("MODELWIRE_API", "stands before functions"),
    ("MODELWIRE_NUL", "a std::string_view knows its length"),
    ("MODELWIRE_TEXT(string)", "a std::string_view knows its length"),
    ("MODELWIRE_READ_TEXT", "for modelwire_event_read_all, which C++ does not need"),
    ("MODELWIRE_READ_JSON", "for modelwire_event_read_all, which C++ does not need"),
    ("MODELWIRE_READ_FREE", "for modelwire_event_read_all, which C++ does not need"),
    ("MODELWIRE_READ_NAME", "for modelwire_event_read_all, which C++ does not need"),
    ("MODELWIRE_TOKENS_INPUT", "usage() has every count"),
    ("MODELWIRE_TOKENS_OUTPUT", "usage() has every count"),
    ("MODELWIRE_TOKENS_TOTAL", "usage() has every count"),
    ("MODELWIRE_TOKENS_CACHED_INPUT", "usage() has every count"),
    ("MODELWIRE_TOKENS_REASONING", "usage() has every count"),
    ("MODELWIRE_VERSION_NUMBER", "modelwire::version_number() is that of the library"),
    ("MODELWIRE_ABSENT", "an empty std::optional says it"),
];

#[test]
fn every_number_of_c_has_its_wrapper() {
    let header = read(HEADER);
    let defined =
        header.lines().filter_map(|line| line.strip_prefix("#define ")?.split(' ').next());
    let wrapper = read("include/modelwire.hpp");
    let named: BTreeSet<&str> = wrapper.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let excused = |name: &str| NOT_NAMED.iter().any(|(excused, _)| *excused == name);
    let forgotten: Vec<&str> =
        defined.filter(|name| !named.contains(name) && !excused(name)).collect();
    assert!(
        forgotten.is_empty(),
        "include/modelwire.hpp does not name these numbers of {HEADER}: add them to its enums, or \
         to NOT_NAMED in this test the reason why they are not there\n{forgotten:#?}"
    );
}

/// Texts that are not of a response, an event or an error, and where they are tested.
const TEXTS_ELSEWHERE: [(&str, &str); 1] = [("view", "scenarios/texts.cpp, as value()")];

#[test]
fn every_text_is_tested_with_data() {
    let tested = read("tests/cpp/scenarios/texts.cpp");
    // What the table of accessors has is tested by its rows.
    let rows = read("tests/c/accessors.h");
    let wrapper = read("include/modelwire.hpp");
    let public = wrapper
        .split("namespace detail {")
        .map(|part| part.split_once("}  // namespace detail").map_or(part, |(_, behind)| behind));
    let lines: String = public.collect();
    let texts: BTreeSet<&str> = lines
        .lines()
        .filter_map(|line| {
            let line = line.trim().trim_start_matches("[[nodiscard]] ");
            let text = line.strip_prefix("std::string_view ");
            let text = text.or_else(|| line.strip_prefix("std::optional<std::string_view> "));
            text?.split_once('(').map(|(name, _)| name)
        })
        .collect();
    assert!(texts.len() > 15, "only {texts:?} were found");
    let is_told = |name: &str| TEXTS_ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == name);
    let forgotten: Vec<&&str> = texts
        .iter()
        .filter(|name| !tested.contains(&format!(".{name}(")) && !is_told(name))
        .filter(|name| !rows.contains(&format!("  ROW({name}, ")))
        .collect();
    assert!(forgotten.is_empty(), "add a line to tests/cpp/scenarios/texts.cpp for {forgotten:#?}");
}

/// What a setter is called: a header at a time, and times without their unit.
fn setter(option: &str) -> String {
    match option {
        "headers" => "header".to_owned(),
        "without_headers" => "without_header".to_owned(),
        "idle_connection_ms_max" => "idle_connection_max".to_owned(),
        other => other.strip_suffix("_ms").unwrap_or(other).to_owned(),
    }
}

/// The names in the first column of the tables below a heading.
fn options_below<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let section = text.split(heading).nth(1).unwrap().split("\n## ").next().unwrap();
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

#[test]
fn every_option_has_a_setter() {
    let documented = read("docs/options.md");
    let wrapper = read("include/modelwire.hpp");
    let class = |name: &str| {
        wrapper.split(&format!("\nclass {name}")).nth(1).unwrap().split("\n};").next().unwrap()
    };
    let common = class("common_options {");
    for (heading, own, least) in
        [("## Of a client\n", class("config : "), 30), ("## Of a call\n", class("request : "), 18)]
    {
        let options = options_below(&documented, heading);
        assert!(options.len() >= least, "only {options:?} were found");
        let forgotten: Vec<_> = options
            .iter()
            .filter(|option| {
                let set = format!("& {}(", setter(option));
                !own.contains(&set) && !common.contains(&set)
            })
            .collect();
        assert!(forgotten.is_empty(), "{heading}no setter in modelwire.hpp: {forgotten:?}");
        // And it writes that very name.
        let unwritten: Vec<_> = options
            .iter()
            .filter(|option| {
                !own.contains(&format!("\"{option}\""))
                    && !common.contains(&format!("\"{option}\""))
            })
            .collect();
        assert!(unwritten.is_empty(), "{heading}never written: {unwritten:?}");
    }
}

#[test]
fn every_scenario_is_run() {
    let forgotten = forgotten_scenarios("tests/cpp/scenarios/check.hpp", &["tests/cpp/tests"]);
    assert!(forgotten.is_empty(), "no #[test] in tests/cpp/tests runs {forgotten:#?}");
}

/// Where a line of the header stands.
#[derive(PartialEq)]
enum Place {
    Top,
    Public,
    Hidden,
    Body,
}

/// Where a line that begins a declaration lies, as clang-format would have it: not behind a line
/// that goes on.
fn is_declaration(code: &str, previous: &str) -> bool {
    let begins = code.starts_with(|c: char| c.is_alphabetic() || c == '~' || c == '[');
    let goes_on = previous.ends_with([',', '(', '+', '=', '>', ':']);
    begins && !goes_on && !code.ends_with(':') && !code.starts_with("friend class")
}

#[test]
fn everything_public_is_documented() {
    let text = std::fs::read_to_string(root().join("include/modelwire.hpp")).unwrap();
    let text = text.split("inline namespace MODELWIRE_FLAVOUR {").nth(1).unwrap();
    let (mut place, mut is_detail, mut is_group, mut seen) = (Place::Top, false, false, 0);
    let mut previous = "";
    let mut undocumented = Vec::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap().trim();
        match line.trim() {
            "namespace detail {" => is_detail = true,
            "}  // namespace detail" => is_detail = false,
            "private:" | "protected:" => place = Place::Hidden,
            "public:" => place = Place::Public,
            "/// @{" => is_group = true,
            "/// @}" => is_group = false,
            _ => {}
        }
        let indent = line.len() - line.trim_start().len();
        let is_here = match place {
            Place::Top => indent == 0,
            Place::Public => indent == 2,
            Place::Hidden | Place::Body => false,
        };
        if is_here && !is_detail && !is_group && is_declaration(code, previous.trim_end()) {
            seen += 1;
            let is_said = previous.trim_start().starts_with("///") || line.contains("///<");
            // Declared ahead, or documented where it was declared.
            let is_known = code.starts_with("class") && code.ends_with(';')
                || code.contains("::try_submit(")
                || code.contains("::try_follow_calls(")
                || code.contains("::try_ignore_calls(")
                || code.contains(" error::timing(")
                || code.contains(" error::header(")
                || code.contains(" error::headers(")
                // What does not compile needs no words.
                || code.ends_with("= delete;")
                || code.starts_with("template <>");
            if !is_said && !is_known {
                undocumented.push(line.to_owned());
            }
        }
        match line {
            "};" | "}" => place = Place::Top,
            _ if indent > 0 || is_detail || !code.ends_with('{') => {}
            _ if code.starts_with("class") => place = Place::Hidden,
            _ if code.starts_with("struct") || code.starts_with("enum") => place = Place::Public,
            _ => place = Place::Body,
        }
        previous = line;
    }
    assert!(undocumented.is_empty(), "{undocumented:#?}");
    assert!(seen > 150, "only {seen} declarations were found");
}
