//! Who imports whom: no circle in any of the five crates, and in the core no arrow that runs up.
//! Reads what the files say and compiles nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::{files, read};

/// A file's name below its `src`, `protocol::json` for instance.
type Room = String;

/// The floors of the core, from the ground up: a file imports from its own floor, where that makes no
/// circle, and from those below. Two that stand beside each other do not import each other.
fn floor(room: &str) -> (usize, &'static str) {
    match room.split("::").next().unwrap_or_default() {
        "protocol" => (0, "protocol"),
        "driver" => (2, "driver"),
        "http" => (2, "http"),
        "call" => (3, "call"),
        "delivery" => (4, "delivery"),
        "lib" | "client" | "stream" | "parse" => (5, "users"),
        "options" | "request" | "answer" | "system" => (1, "vocabulary"),
        other => panic!("core/src/{other}: which floor is it on?"),
    }
}

/// Without comments and without the tests at its end.
fn product(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let is_test = |line: &&str| line.trim_start().starts_with("#[cfg(test)]");
    code.take_while(|line| !is_test(line)).collect::<Vec<_>>().join("\n")
}

/// The paths below `crate::` that a text names, braces spread out.
fn paths(text: &str) -> Vec<String> {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split("crate::").skip(1).flat_map(|rest| spread("", rest)).collect()
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`, up to whatever ends the path.
fn spread(prefix: &str, rest: &str) -> Vec<String> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
    let (path, behind) = rest.split_at(end);
    let path = format!("{prefix}{path}");
    let Some(inside) = behind.strip_prefix('{').filter(|_| path.ends_with("::")) else {
        return vec![path.trim_end_matches(':').to_owned()];
    };
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in inside.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                parts.last_mut().unwrap().push(c);
            }
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(|part| spread(&path, part)).collect()
}

/// Every file of a crate with the files that it imports.
fn graph(source: &str) -> BTreeMap<Room, BTreeSet<Room>> {
    let texts: BTreeMap<Room, String> = files(source, ".rs")
        .into_iter()
        .filter(|path| !path.ends_with("_tests.rs"))
        .map(|path| {
            let name = path.strip_prefix(&format!("{source}/")).unwrap_or(&path);
            let name = name.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
            (name, product(&read(&path)))
        })
        .collect();
    let room_of = |path: &str| -> Room {
        let steps: Vec<&str> = path.split("::").collect();
        let lengths = (1..=steps.len()).rev();
        let mut rooms = lengths.map(|length| steps[..length].join("::"));
        // What is in no file of its own stands in lib.rs, as re-exports do.
        rooms.find(|room| texts.contains_key(room)).unwrap_or_else(|| "lib".to_owned())
    };
    let imports = |room: &Room, text: &String| {
        let above = room.rsplit_once("::").map_or("", |(parent, _)| parent);
        let relative = text.replace("super::", &format!("crate::{above}::"));
        let rooms = paths(&relative).iter().map(|path| room_of(path)).collect::<BTreeSet<_>>();
        rooms.into_iter().filter(|imported| imported != room).collect()
    };
    texts.iter().map(|(room, text)| (room.clone(), imports(room, text))).collect()
}

/// The rooms on a circle, if there is one, in the order of the imports.
fn circle(graph: &BTreeMap<Room, BTreeSet<Room>>) -> Option<Vec<Room>> {
    fn visit(
        room: &Room,
        graph: &BTreeMap<Room, BTreeSet<Room>>,
        done: &mut BTreeSet<Room>,
        way: &mut Vec<Room>,
    ) -> Option<Vec<Room>> {
        if let Some(start) = way.iter().position(|before| before == room) {
            return Some(way[start..].to_vec());
        }
        if done.contains(room) {
            return None;
        }
        way.push(room.clone());
        let found = graph[room].iter().find_map(|next| visit(next, graph, done, way));
        way.pop();
        done.insert(room.clone());
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|room| visit(room, graph, &mut done, &mut Vec::new()))
}

#[test]
fn no_crate_has_an_import_cycle() {
    for source in ["core/src", "bulk/src", "cli/src", "ffi-c/src", "py/src"] {
        let found = circle(&graph(source));
        assert!(
            found.is_none(),
            "{source}: each imports the next: {}",
            found.unwrap().join(" -> ")
        );
    }
}

#[test]
fn core_modules_import_only_lower_layers() {
    let graph = graph("core/src");
    let mut up = Vec::new();
    for (room, imported) in graph.iter().flat_map(|(room, all)| all.iter().map(move |i| (room, i)))
    {
        let ((from, name), (to, other)) = (floor(room), floor(imported));
        if to > from || to == from && name != other {
            up.push(format!("{room} ({name}) imports {imported} ({other})"));
        }
    }
    assert!(up.is_empty(), "arrows that run up:\n  {}", up.join("\n  "));
    // The test sees what there is to see: these stand in the files.
    for (room, imported) in [
        ("call::attempts", "http::transport"),
        ("call::task", "driver::external"),
        ("protocol::chunk", "protocol::slab"),
        ("protocol::accumulate::chat", "protocol::accumulate::tree"),
        ("delivery::completion", "call::queue"),
    ] {
        assert!(graph[room].contains(imported), "{room} imports {imported}, and it was not seen");
    }
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    let text = "use crate::a::{b, c::{D, self}, e};\nlet x = crate::f::g(crate::h);\nuse crate::i;";
    let found: BTreeSet<String> = paths(text).into_iter().collect();
    let expected = ["a::b", "a::c::D", "a::c::self", "a::e", "f::g", "h", "i"];
    assert_eq!(found, expected.map(str::to_owned).into());
    let text = "use crate::a;\n// crate::no\n#[cfg(test)]\nmod tests {\n use crate::b; }";
    assert_eq!(paths(&product(text)), ["a"]);
    let arrows = [("a", "b"), ("b", "c"), ("c", "b")];
    let mut graph: BTreeMap<Room, BTreeSet<Room>> = BTreeMap::new();
    for (from, to) in arrows {
        graph.entry(from.to_owned()).or_default().insert(to.to_owned());
    }
    assert_eq!(circle(&graph).unwrap(), ["b", "c"]);
    graph.get_mut("c").unwrap().clear();
    assert_eq!(circle(&graph), None);
}
