//! Makes the text of include/modelwire.h from ffi-c/src, and reads a header's functions. Compiles
//! nothing of the library.
//!
//! cbindgen does the work, but it expands no macros: what `texts!` of ffi-c/src/text.rs writes for
//! the compiler is written here once more, as declarations, for cbindgen. A test compares the
//! header with the symbols of the library, so the two cannot drift apart unseen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is generated, relative to `root()`.
pub const HEADER: &str = "include/modelwire.h";
/// The C++ wrapper, relative to `root()`; of it the enumeration of bounds is generated.
pub const WRAPPER: &str = "include/modelwire.hpp";
/// The table of bounds, from which the header's constants follow.
const LIMITS: &str = "core/src/bounds.rs";
/// The names of all functions, relative to `root()`; names are only ever added.
pub const SYMBOLS: &str = "tests/c/symbols.txt";

/// The top of the project.
pub fn root() -> PathBuf {
    // Not "../..", which the kernel would resolve through a symbolic link.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The text of the header. Writes nothing below `root()`.
pub fn generate() -> Result<String, String> {
    let ffi = root().join("ffi-c");
    let config = cbindgen::Config::from_file(ffi.join("cbindgen.toml"))?;
    let copies = Copies::new()?;
    // Source files, not the crate: no `cargo metadata`, and nothing that a build would write.
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in modules(&read(&ffi.join("src/lib.rs"))?) {
        let text = read(&ffi.join("src").join(&module))?;
        let text = with_limits(&text, &read(&root().join(LIMITS))?)?;
        let text = expand(&text).map_err(|cause| format!("ffi-c/src/{module}: {cause}"))?;
        builder = builder.with_src(copies.write(&module, &text)?);
    }
    let mut header = Vec::new();
    builder.generate().map_err(|cause| cause.to_string())?.write(&mut header);
    let header = String::from_utf8(header).map_err(|cause| cause.to_string())?;
    // Negative numbers in parentheses, which cbindgen leaves out.
    let line = |line: &str| match line.strip_prefix("#define ").and_then(|d| d.split_once(" -")) {
        Some((name, number)) => format!("#define {name} (-{number})\n"),
        None => format!("{line}\n"),
    };
    Ok(header.lines().map(line).collect())
}

/// The files of ffi-c in the order in which `lib.rs` names them, which is the header's order.
fn modules(lib: &str) -> Vec<String> {
    lib.lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(|name| format!("{name}.rs"))
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|cause| format!("{}: {cause}", path.display()))
}

/// A folder of files for cbindgen, which takes no texts; removed at the end.
struct Copies(PathBuf);

impl Copies {
    fn new() -> Result<Copies, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("modelwire-header-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)
            .map_err(|cause| format!("{}: {cause}", folder.display()))?;
        Ok(Copies(folder))
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, text).map_err(|cause| format!("{}: {cause}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // a folder that stays in /tmp harms nobody
    }
}

/// A row of the core's table of bounds.
struct Bound {
    /// `event_bytes` for instance.
    name: String,
    number: String,
    doc: Vec<String>,
}

/// The core's table of bounds, row by row.
fn bounds(source: &str) -> Result<Vec<Bound>, String> {
    let rows = source.split_once("\nlimits! {\n").and_then(|(_, rest)| rest.split_once("\n}\n"));
    let (rows, _) = rows.ok_or_else(|| format!("{LIMITS} has no table limits! {{ ... }}"))?;
    let (mut bounds, mut doc) = (Vec::new(), Vec::new());
    for line in rows.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("///") {
            doc.push(line.to_owned());
            continue;
        }
        let number = line.split_once(", number ").and_then(|(_, rest)| rest.strip_suffix(';'));
        let name = line.split_once("_max: ").map(|(name, _)| name.to_owned());
        let (Some(number), Some(name)) = (number, name) else {
            return Err(format!("{LIMITS}: a row is `name_max: NAME = value, number 1;`: {line}"));
        };
        bounds.push(Bound { name, number: number.to_owned(), doc: std::mem::take(&mut doc) });
    }
    Ok(bounds)
}

/// A source file with a constant for each bound where its line that begins with `// limits:` stands.
fn with_limits(source: &str, table: &str) -> Result<String, String> {
    let mark = |line: &&str| line.starts_with("// limits:");
    let Some(marked) = source.lines().find(mark) else { return Ok(source.to_owned()) };
    let constant = |bound: Bound| {
        let (doc, name) = (bound.doc.join("\n"), bound.name.to_uppercase());
        format!("{doc}\npub const MODELWIRE_LIMIT_{name}: i32 = {};\n", bound.number)
    };
    let constants: String = bounds(table)?.into_iter().map(constant).collect();
    Ok(source.replace(marked, &constants))
}

/// Where the C++ wrapper has its enumeration of bounds.
const ENUMERATION: &str = "enum class limit : std::int32_t {\n";

/// The C++ wrapper as it has to be: with an enumerator for each bound. The rest of it is written by
/// hand. Writes nothing.
pub fn wrapper() -> Result<String, String> {
    let written = read(&root().join(WRAPPER))?;
    with_enumerators(&written, &read(&root().join(LIMITS))?)
}

fn with_enumerators(wrapper: &str, table: &str) -> Result<String, String> {
    let parts = wrapper.split_once(ENUMERATION).and_then(|(before, rest)| {
        let (_, behind) = rest.split_once("\n};\n")?;
        Some((before, behind))
    });
    let (before, behind) =
        parts.ok_or_else(|| format!("{WRAPPER} has no {}", ENUMERATION.trim_end()))?;
    let enumerator = |bound: Bound| {
        let (doc, name) = (bound.doc.join("\n  "), bound.name);
        format!("  {doc}\n  {name} = MODELWIRE_LIMIT_{},\n", name.to_uppercase())
    };
    let all: String = bounds(table)?.into_iter().map(enumerator).collect();
    let head = "  // From the table in core/src/bounds.rs, by `make header`.\n";
    Ok(format!("{before}{ENUMERATION}{head}{all}}};\n{behind}"))
}

/// A source file with a declaration for each line of its `texts!` tables.
fn expand(source: &str) -> Result<String, String> {
    let mut expanded = String::new();
    let mut table: Option<Table> = None;
    for (number, line) in source.lines().enumerate() {
        let here = |cause: String| format!("line {}: {cause}", number + 1);
        match &mut table {
            None if line.starts_with("texts!") => table = Some(Table::new(line).map_err(here)?),
            None => expanded += &format!("{line}\n"),
            Some(_) if line == "}" => table = None,
            Some(table) => expanded += &table.declared(line.trim()).map_err(here)?,
        }
    }
    match table {
        None => Ok(expanded),
        Some(table) => Err(format!("the texts! table of {} has no end", table.handle)),
    }
}

/// One `texts!` table, line by line.
struct Table {
    /// The name of the first parameter, "error" for instance, and its type.
    parent: String,
    handle: String,
    /// The doc comment of the function that comes next.
    doc: Vec<String>,
    /// Whether an expression goes on on the next line.
    is_open: bool,
}

impl Table {
    fn new(line: &str) -> Result<Table, String> {
        let head = line.strip_prefix("texts! { ").and_then(|rest| rest.strip_suffix(','));
        let (parent, handle) = head
            .and_then(|head| head.split_once(": "))
            .ok_or("a table begins with `texts! { error: modelwire_error,` for instance")?;
        Ok(Table {
            parent: parent.to_owned(),
            handle: handle.to_owned(),
            doc: Vec::new(),
            is_open: false,
        })
    }

    /// The declaration that this line completes; nothing if it completes none.
    fn declared(&mut self, line: &str) -> Result<String, String> {
        if self.is_open {
            self.is_open = !line.ends_with(';');
            return Ok(String::new());
        }
        if line.is_empty() {
            return Ok(String::new());
        }
        if line.starts_with("///") {
            self.doc.push(line.to_owned());
            return Ok(String::new());
        }
        let signature = line.split_once(" =>").map(|(signature, _)| signature);
        let (name, given) = signature
            .and_then(|signature| signature.strip_suffix(')')?.split_once('('))
            .ok_or_else(|| format!("neither a comment nor `name(length) => text;`: {line}"))?;
        if self.doc.is_empty() {
            return Err(format!("{name} has no doc comment"));
        }
        self.is_open = !line.ends_with(';');
        self.declaration(name, given)
    }

    fn declaration(&mut self, name: &str, given: &str) -> Result<String, String> {
        let (parent, handle) = (&self.parent, &self.handle);
        let mut parameters = vec![(parent.as_str(), format!("*const {handle}"))];
        let mut said = vec![format!("the {parent}")];
        for parameter in given.split(", ").filter(|given| !given.is_empty()) {
            let (kind, comment) = match parameter {
                "length" => ("*mut usize", "its length in bytes; may be NULL"),
                "at" => ("usize", "which piece, from 0"),
                "index" => ("usize", "from 0"),
                other => {
                    return Err(format!(
                        "{name}: there is no `{other}`, only an index (`index` or `at`) and `length`"
                    ));
                }
            };
            parameters.push((parameter, kind.to_owned()));
            said.push(comment.to_owned());
        }
        let width = parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text: String = self.doc.drain(..).map(|line| line + "\n").collect();
        text += "///\n";
        for ((name, _), comment) in parameters.iter().zip(said) {
            text += &format!("/// @param {name:width$}  {comment}\n");
        }
        let parameters: Vec<String> =
            parameters.iter().map(|(name, kind)| format!("{name}: {kind}")).collect();
        text += "#[unsafe(no_mangle)]\n";
        text += &format!(
            "pub unsafe extern \"C\" fn {name}({}) -> *const c_char {{}}\n",
            parameters.join(", ")
        );
        Ok(text)
    }
}

/// A function that a header declares.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// "const char *" for instance.
    pub returns: String,
    /// Each with its type and its name, "size_t *length" for instance; none for `void`.
    pub parameters: Vec<String>,
}

impl Function {
    /// Whether it gives a text of a handle, and is given beside the handle at most an index and
    /// the place of the length: what a line of a `texts!` table makes.
    pub fn is_text(&self) -> bool {
        let [handle, rest @ ..] = self.parameters.as_slice() else { return false };
        self.returns == "const char *"
            && handle.starts_with("const modelwire_")
            && rest.iter().all(|one| one == "size_t *length" || is_index(one))
    }

    /// Whether it is given an index.
    pub fn has_index(&self) -> bool {
        self.parameters.iter().any(|one| is_index(one))
    }

    /// Whether it is given a place for the length.
    pub fn has_length(&self) -> bool {
        self.parameters.iter().any(|one| one == "size_t *length")
    }
}

fn is_index(parameter: &str) -> bool {
    parameter == "size_t index" || parameter == "size_t at"
}

/// The functions that a header declares: each follows MODELWIRE_API on its line or the next.
pub fn functions(header: &str) -> Vec<Function> {
    let code: Vec<&str> = header.lines().filter(|line| !line.starts_with('#')).collect();
    let code = code.join(" ");
    let declared = |text: &str| {
        let (before, rest) = text.split_once('(')?;
        let before = before.trim();
        let start = before.rfind([' ', '*']).map_or(0, |at| at + 1);
        let (returns, name) = before.split_at(start);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parameters = rest.split_once(");")?.0.split(',').map(words);
        Some(Function {
            name: name.to_owned(),
            returns: words(returns),
            parameters: parameters.filter(|one| one != "void").collect(),
        })
    };
    // The space tells it from MODELWIRE_API_KEY.
    code.split("MODELWIRE_API ").skip(1).filter_map(declared).collect()
}

/// The list of symbols with the new ones in it, sorted. None is taken out: a compiled program may
/// use it.
pub fn with_new_symbols(listed: &str, names: &[String]) -> String {
    let (comments, old): (Vec<&str>, Vec<&str>) =
        listed.lines().partition(|line| line.starts_with('#'));
    let all: BTreeSet<&str> = old.into_iter().chain(names.iter().map(String::as_str)).collect();
    comments.into_iter().chain(all).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
