//! Writes every mutant that cargo-mutants lists into the sources, each behind a switch: one build holds them
//! all, and `MUTANT=17` in the environment makes a process that mutant.
//!
//! `modelwire-mutants LIST LEFT_OUT ROOT` rewrites the files of ROOT, and prints one line of JSON for each
//! mutant of LIST: its number, its name, and where it stands in the new file; or why it was left out.
//! LEFT_OUT has the numbers of those that do not compile, one a line.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::{env, fs};

use proc_macro2::LineColumn;
use serde_json::{Value, json};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The bytes of the map in switch.rs, one for each mutant.
const MUTANTS_MAX: usize = 1 << 16;

type Place = (usize, usize);

/// A mutant: its number, and the text of the other code.
type Mutant = (usize, String);

/// What stands at a place that mutants change.
#[derive(Default)]
struct Edits {
    /// Expressions by where they begin, the widest first, each with its mutants.
    wrapped: BTreeMap<(usize, std::cmp::Reverse<usize>), Vec<Mutant>>,
    /// Texts to insert.
    inserted: BTreeMap<usize, Vec<Mutant>>,
}

/// Finds the code around the operators, guards and arms of the list.
struct Finder<'a> {
    text: &'a str,
    lines: Vec<usize>,
    /// By where they begin: number, genre, replacement.
    wanted: HashMap<Place, Vec<(usize, String, String)>>,
    edits: Edits,
    found: HashSet<usize>,
}

impl Finder<'_> {
    fn at(&self, place: LineColumn) -> usize {
        let start = self.lines[place.line - 1];
        let line = &self.text[start..];
        start + line.char_indices().nth(place.column).map_or(line.len(), |(at, _)| at)
    }

    fn range(&self, node: &impl Spanned) -> Range<usize> {
        let span = node.span();
        self.at(span.start())..self.at(span.end())
    }

    /// The mutants of this genre that begin at `node`.
    fn take(&mut self, node: &impl Spanned, genre: &str) -> Vec<(usize, String)> {
        let start = node.span().start();
        let all = self.wanted.get(&(start.line, start.column + 1)).into_iter().flatten();
        let taken: Vec<_> =
            all.filter(|(_, of, _)| of == genre).map(|(n, _, text)| (*n, text.clone())).collect();
        self.found.extend(taken.iter().map(|(number, _)| *number));
        taken
    }

    fn wrap(&mut self, range: Range<usize>, mutants: impl IntoIterator<Item = Mutant>) {
        let mutants: Vec<_> = mutants.into_iter().collect();
        if !mutants.is_empty() {
            let key = (range.start, std::cmp::Reverse(range.end));
            self.edits.wrapped.entry(key).or_default().extend(mutants);
        }
    }

    fn body(&mut self, block: &syn::Block) {
        let Some(first) = block.stmts.first() else { return };
        let at = self.range(first).start;
        for (number, value) in self.take(first, "FnValue") {
            self.edits.inserted.entry(at).or_default().push((number, format!("return {value};")));
        }
    }
}

fn has_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(both) => has_let(&both.left) || has_let(&both.right),
        _ => false,
    }
}

/// Whether an item is not in this build: for the models of loom, or where a feature is missing.
fn is_elsewhere(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let condition = attribute.meta.require_list().map(|list| list.tokens.to_string());
        condition.is_ok_and(|given| given == "modelwire_loom" || given.starts_with("not (feature"))
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes: &[_] = match item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            _ => &[],
        };
        if !is_elsewhere(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type_array(&mut self, _: &'ast syn::TypeArray) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() {
            self.body(&item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            self.body(&item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        if !has_let(&expr.left) && !has_let(&expr.right) {
            let (left, right) = (self.range(&expr.left), self.range(&expr.right));
            let operands = (&self.text[left.clone()], &self.text[right.clone()]);
            let other = |by: String| format!("({}) {by} ({})", operands.0, operands.1);
            let mutants = self.take(&expr.op, "BinaryOperator");
            let mutants: Vec<Mutant> =
                mutants.into_iter().map(|(number, by)| (number, other(by))).collect();
            self.wrap(left.start..right.end, mutants);
        }
        visit::visit_expr_binary(self, expr);
    }

    fn visit_expr_unary(&mut self, expr: &'ast syn::ExprUnary) {
        let (whole, inner) = (self.range(expr), self.range(&*expr.expr));
        let text = self.text[inner].to_owned();
        let mutants = self.take(&expr.op, "UnaryOperator");
        self.wrap(whole, mutants.into_iter().map(|(number, _)| (number, text.clone())));
        visit::visit_expr_unary(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let deleted = self.take(&arm.pat, "MatchArm");
        match &arm.guard {
            Some((_, guard)) if !has_let(guard) => {
                let range = self.range(&**guard);
                let mutants = self.take(&**guard, "MatchArmGuard");
                let deleted = deleted.into_iter().map(|(number, _)| (number, "false".to_owned()));
                self.wrap(range, mutants.into_iter().chain(deleted));
            }
            Some(_) => {}
            None => {
                let at = self.range(&arm.pat).end;
                for (number, _) in deleted {
                    self.edits.inserted.entry(at).or_default().push((number, String::new()));
                }
            }
        }
        visit::visit_arm(self, arm);
    }
}

/// The new text of a file, and where each mutant is in it.
struct Writer<'a> {
    text: &'a str,
    edits: &'a Edits,
    left_out: &'a HashSet<usize>,
    switch: &'a str,
    out: String,
    places: BTreeMap<usize, Range<usize>>,
}

impl Writer<'_> {
    fn write(&mut self, range: Range<usize>, done: &mut HashSet<(usize, usize)>) {
        let mut at = range.start;
        while at < range.end {
            if let Some(inserted) = self.edits.inserted.get(&at)
                && done.insert((at, usize::MAX))
            {
                for (number, code) in inserted.iter().filter(|(n, _)| !self.left_out.contains(n)) {
                    let begin = self.out.len();
                    let switch = self.switch;
                    self.out.push_str(&match code.is_empty() {
                        true => format!(" if !{switch}({number})"),
                        false => format!("if {switch}({number}) {{ {code} }} "),
                    });
                    self.places.insert(*number, begin..self.out.len());
                }
            }
            let from = (at, std::cmp::Reverse(usize::MAX));
            let to = (at, std::cmp::Reverse(0));
            let next = self
                .edits
                .wrapped
                .range(from..=to)
                .find(|((_, end), _)| end.0 <= range.end && !done.contains(&(at, end.0)));
            let Some(((_, end), mutants)) = next else {
                let character = self.text[at..].chars().next().unwrap_or(' ');
                self.out.push(character);
                at += character.len_utf8();
                continue;
            };
            done.insert((at, end.0));
            let mutants: Vec<_> =
                mutants.iter().filter(|(n, _)| !self.left_out.contains(n)).collect();
            if mutants.is_empty() {
                self.write(at..end.0, done);
            } else {
                self.out.push('(');
                for (number, code) in mutants {
                    let begin = self.out.len();
                    self.out.push_str(&format!("if {}({number}) {{ {code} }} else ", self.switch));
                    self.places.insert(*number, begin..self.out.len());
                }
                self.out.push_str("{ ");
                self.write(at..end.0, done);
                self.out.push_str(" })");
            }
            at = end.0;
        }
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [list, left_out, root] = arguments.as_slice() else {
        panic!("usage: modelwire-mutants LIST LEFT_OUT ROOT")
    };
    let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(list).expect("the list"))
        .expect("a list of mutants");
    assert!(list.len() < MUTANTS_MAX, "more mutants than the switch records");
    let left_out: HashSet<usize> = fs::read_to_string(left_out)
        .unwrap_or_default()
        .lines()
        .filter_map(|n| n.parse().ok())
        .collect();
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, mutant) in list.iter().enumerate() {
        files.entry(mutant["file"].as_str().expect("a file")).or_default().push(at);
    }
    for (file, mutants) in files {
        let path = Path::new(root).join(file);
        let text = fs::read_to_string(&path).expect("a source");
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        let mut wanted: HashMap<Place, Vec<(usize, String, String)>> = HashMap::new();
        for at in &mutants {
            let mutant = &list[*at];
            let start = &mutant["span"]["start"];
            let word = |name: &str| mutant[name].as_str().unwrap_or_default().to_owned();
            let place = (number(&start["line"]), number(&start["column"]));
            wanted.entry(place).or_default().push((at + 1, word("genre"), word("replacement")));
        }
        let lines =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut finder =
            Finder { text: &text, lines, wanted, edits: Edits::default(), found: HashSet::new() };
        finder.visit_file(&syn::parse_file(&text).expect("Rust"));
        let switch = match file.split('/').next() {
            Some("core") => "crate::mutant_on",
            Some("ffi-c") => "modelwire_core::mutant_on",
            _ => "modelwire::mutant_on",
        };
        let mut writer = Writer {
            text: &text,
            edits: &finder.edits,
            left_out: &left_out,
            switch,
            out: String::new(),
            places: BTreeMap::new(),
        };
        writer.write(0..text.len(), &mut HashSet::new());
        fs::write(&path, &writer.out).expect("the new source");
        for at in mutants {
            let id = at + 1;
            let place = writer.places.get(&id).map(|range| [range.start, range.end]);
            println!(
                "{}",
                json!({"id": id, "name": list[at]["name"], "file": file, "place": place})
            );
        }
    }
}
