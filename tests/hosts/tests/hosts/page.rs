//! docs/embedding.md beside the examples: none is forgotten, and how long they are. Runs none.

use std::path::Path;

use modelwire_tests_c::root;

/// Examples that are for no host.
const OTHERS: [&str; 6] =
    ["CMakeLists.txt", "chat.c", "json.cpp", "models.c", "talk.cpp", "tools.c"];

fn lines_of(path: &Path) -> usize {
    let path = if path.is_dir() { path.join("modelwire_pg.c") } else { path.to_owned() };
    std::fs::read_to_string(path).unwrap().lines().count()
}

#[test]
fn the_page_leads_to_every_example_and_says_how_long_it_is() {
    let page = std::fs::read_to_string(root().join("docs/embedding.md")).unwrap();
    for entry in std::fs::read_dir(root().join("ffi-c/examples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let link = format!("(../ffi-c/examples/{name})");
        let is_named = page.contains(&link);
        assert!(is_named || OTHERS.contains(&name), "docs/embedding.md does not lead to {name}");
        let Some(row) = page.lines().find(|line| line.starts_with('|') && line.contains(&link))
        else {
            continue;
        };
        let told: usize = row.split('|').nth(3).unwrap().trim().parse().unwrap();
        let is = lines_of(&path);
        assert!(told.abs_diff(is) <= is / 10, "{name} has {is} lines, not {told}");
    }
}
