//! Circles of files: files that import each other, directly or through others.

use crate::modules::{Imports, Modules};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

/// Returns circles among the files, so that every file that is in any is in one of them; each as short as it can be.
fn circles(imports: &Imports) -> Vec<Vec<PathBuf>> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in imports.keys() {
        if seen.contains(file) {
            continue;
        }
        if let Some(circle) = shortest_way_back(imports, file) {
            seen.extend(circle.iter().cloned());
            found.push(circle);
        }
    }
    found
}

/// Returns the files from this one on that import each other in turn, if the last one imports the first.
fn shortest_way_back(imports: &Imports, start: &PathBuf) -> Option<Vec<PathBuf>> {
    let mut came_from = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for next in imports.get(file).into_iter().flatten().map(|(next, _)| next) {
            if next == start {
                let mut way: Vec<_> = std::iter::successors(Some(file), |file| came_from.get(file).copied()).collect();
                way.reverse();
                return Some(way.into_iter().cloned().collect());
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, file);
                queue.push_back(next);
            }
        }
    }
    None
}

/// Returns a circle as text, a line for each import.
fn shown(imports: &Imports, circle: &[PathBuf]) -> String {
    let next = circle.iter().cycle().skip(1);
    let lines = circle.iter().zip(next).map(|(file, next)| {
        let words = &imports[file][next];
        format!("  {} imports {} ({words})\n", file.display(), next.display())
    });
    lines.collect()
}

/// Returns every circle among the sources of a crate, given as path from `src` and text.
pub(crate) fn circles_of(sources: &[(PathBuf, String)]) -> Vec<String> {
    let mut modules = Modules::default();
    sources.iter().for_each(|(file, source)| modules.add(file, source));
    let imports = modules.imports();
    circles(&imports).iter().map(|circle| shown(&imports, circle)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sources: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = sources.iter().map(|(file, source)| (file.into(), (*source).to_owned())).collect();
        circles_of(&sources)
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle() {
        let a = ("a.rs", "use crate::b::B; pub struct A;");
        assert_eq!(of(&[("lib.rs", "mod a; mod b;"), a, ("b.rs", "pub struct B;")]), [""; 0]);
        let shown = "  a.rs imports b.rs (crate::b::B)\n  b.rs imports a.rs (super::a::A)\n";
        for b in [
            "pub struct B(super::a::A);",
            "pub fn b() { use super::a::A; }",
            "fn b() { println!(\"{}\", super::a::A); }",
            "mod inner { use super::super::a::A; }",
        ] {
            let found = of(&[("lib.rs", "mod a; mod b;"), a, ("b.rs", b)]);
            assert_eq!(found.len(), 1, "{b}: {found:?}");
            assert!(b.starts_with("mod") || found[0] == shown, "{b}: {found:?}");
        }
    }

    #[test]
    fn a_longer_circle_is_shown_whole() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b; fn f() { b::f() }"),
            ("b.rs", "use crate::{a, c::f as g}; fn f() { g() }"),
            ("c.rs", "fn f() { crate::a::f() }"),
        ];
        let circle =
            "  a.rs imports b.rs (b::f)\n  b.rs imports c.rs (crate::c::f)\n  c.rs imports a.rs (crate::a::f)\n";
        assert_eq!(of(&files), [circle]);
    }

    #[test]
    fn a_name_that_is_handed_on_leads_to_the_file_that_defines_it() {
        let room = [("lib.rs", "mod room;"), ("room/mod.rs", "mod a; mod b; pub use a::A; pub(crate) use b::b;")];
        let good = [("room/a.rs", "pub struct A;"), ("room/b.rs", "use super::A; pub fn b() {}")];
        assert_eq!(of(&[room, good].concat()), [""; 0]);
        let bad = [("room/a.rs", "use crate::room::b; pub struct A;"), ("room/b.rs", "use super::A; pub fn b() {}")];
        assert_eq!(of(&[room, bad].concat()).len(), 1);
    }

    #[test]
    fn a_parent_that_declares_its_children_may_be_imported_and_one_that_uses_them_not() {
        let child = ("room/child.rs", "use super::ID; pub fn child() {}");
        let declares = ("room/mod.rs", "//! Of [`child::child`].\nmod child; const ID: u8 = 1; // child::child");
        assert_eq!(of(&[("lib.rs", "mod room;"), declares, child]), [""; 0]);
        for uses in ["fn f() { child::child() }", "pub use child::child;", "use child::*;", "use self::child::child;"] {
            let parent = format!("mod child; const ID: u8 = 1; {uses}");
            assert_eq!(of(&[("lib.rs", "mod room;"), ("room/mod.rs", &parent), child]).len(), 1, "{uses}");
        }
    }
}
