//! The modules of a crate: which file each stands in, and what its paths lead to.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The path of a module from the crate's root.
type ModulePath = Vec<String>;

/// A module, as far as paths are concerned.
#[derive(Debug, Default)]
struct Module {
    /// Its file, from the crate's `src`; empty if it is elsewhere.
    file: PathBuf,
    /// What `use` brings in: the name and the path that it stands for.
    names: Vec<(String, Vec<String>)>,
    /// The modules of `use …::*`.
    globs: Vec<Vec<String>>,
    /// Every path in its code, those of `use` included.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of a crate.
#[derive(Debug, Default)]
pub(crate) struct Modules(BTreeMap<ModulePath, Module>);

/// What a path leads to.
#[derive(Debug, Clone, PartialEq)]
enum Target {
    Module(ModulePath),
    /// An item that is defined in this module.
    Item(ModulePath),
}

/// The files that a file imports, each with a path that leads there.
pub(crate) type Imports = BTreeMap<PathBuf, BTreeMap<PathBuf, String>>;

impl Modules {
    /// Adds a file of the crate; `file` is its path from `src`. The files of binaries are crates of their own.
    pub(crate) fn add(&mut self, file: &Path, source: &str) {
        let mut path: ModulePath = file.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
        if path == ["main"] || path[0] == "bin" {
            return;
        }
        path.pop_if(|last| last == "mod" || last == "lib");
        let tokens: TokenStream = source.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.read(file, &path, tokens);
    }

    /// Reads the code of a module; a module within it stands in the same file.
    fn read(&mut self, file: &Path, path: &ModulePath, tokens: TokenStream) {
        self.0.entry(path.clone()).or_default().file = file.to_owned();
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at..] {
                [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] if *word == "mod" => {
                    let inner = [&path[..], &[name.to_string()]].concat();
                    self.read(file, &inner, body.stream());
                    at += 3;
                }
                // Its file may be elsewhere: then it is no part of the crate's sources.
                [TokenTree::Ident(word), TokenTree::Ident(name), end, ..] if *word == "mod" && is_punct(end, ';') => {
                    self.module(&[&path[..], &[name.to_string()]].concat());
                    at += 3;
                }
                [TokenTree::Ident(word), rest @ ..] if *word == "use" => {
                    let end = rest.iter().position(|token| is_punct(token, ';')).unwrap_or(rest.len());
                    self.read_use(path, &rest[..end], &[]);
                    at += 1 + end;
                }
                [TokenTree::Ident(_), ..] => {
                    let (segments, length) = segments(&tokens[at..]);
                    if segments.len() > 1 {
                        self.module(path).paths.insert(segments);
                    }
                    at += length;
                }
                [TokenTree::Group(group), ..] => {
                    self.read(file, path, group.stream());
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Reads one tree of a `use`: `a::b`, `a::b as c`, `a::*`, `a::{b, c::d}`.
    fn read_use(&mut self, path: &ModulePath, tree: &[TokenTree], prefix: &[String]) {
        let (found, length) = segments(tree);
        let mut full = [prefix, &found].concat();
        match &tree[length..] {
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                inner.split(|token| is_punct(token, ',')).for_each(|tree| self.read_use(path, tree, &full));
            }
            [star, ..] if is_punct(star, '*') => self.module(path).globs.push(full),
            rest => {
                full.pop_if(|last| last == "self");
                let Some(last) = full.last() else { return };
                let name = if let [_, TokenTree::Ident(alias), ..] = rest { alias.to_string() } else { last.clone() };
                let module = self.module(path);
                module.names.push((name, full.clone()));
                module.paths.insert(full);
            }
        }
    }

    fn module(&mut self, path: &ModulePath) -> &mut Module {
        self.0.entry(path.clone()).or_default()
    }

    /// Returns which file imports which. A name that is handed on by `use` leads to the file that defines it; a module
    /// is imported only where its items are.
    pub(crate) fn imports(&self) -> Imports {
        let mut imports = Imports::new();
        for (path, module) in &self.0 {
            let imported = imports.entry(module.file.clone()).or_default();
            let globs = module.globs.iter().filter_map(|glob| match self.resolve(path, glob, 0)? {
                Target::Module(target) | Target::Item(target) => Some((target, glob)),
            });
            let items = module.paths.iter().filter_map(|found| match self.resolve(path, found, 0)? {
                Target::Item(target) => Some((target, found)),
                Target::Module(_) => None,
            });
            for (target, words) in globs.chain(items) {
                let file = &self.0[&target].file;
                if *file != module.file && *file != PathBuf::new() {
                    imported.entry(file.clone()).or_insert_with(|| words.join("::"));
                }
            }
        }
        imports
    }

    /// Returns what a path in this module leads to; `None` outside the crate.
    fn resolve(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Target::Module(Vec::new()),
            "self" => Target::Module(from.clone()),
            "super" => Target::Module(from[..from.len().checked_sub(1)?].to_vec()),
            name => self.named(from, name, rest.is_empty(), depth)?,
        };
        rest.iter().enumerate().try_fold(start, |target, (index, name)| match target {
            Target::Item(_) => Some(target),
            Target::Module(module) if name == "super" => Some(Target::Module(module[..module.len() - 1].to_vec())),
            Target::Module(module) => {
                let is_last = index + 1 == rest.len();
                Some(self.named(&module, name, is_last, depth).unwrap_or(Target::Item(module)))
            }
        })
    }

    /// Returns what a name in a module stands for, unless the module defines it itself.
    fn named(&self, module: &ModulePath, name: &str, is_last: bool, depth: usize) -> Option<Target> {
        // Longer chains of `use` are circles among names.
        const CHAIN: usize = 12;
        if depth > CHAIN {
            return None;
        }
        let child = [&module[..], &[name.to_owned()]].concat();
        let child = self.0.contains_key(&child).then_some(Target::Module(child));
        let Module { names, globs, .. } = &self.0[module];
        let handed_on = || {
            let paths = names.iter().filter(|(known, _)| known == name).map(|(_, path)| path);
            let mut targets = paths.filter_map(|path| self.resolve(module, path, depth + 1));
            targets.next()
        };
        let by_glob = || {
            globs.iter().find_map(|glob| match self.resolve(module, glob, depth + 1)? {
                Target::Module(target) if target != *module => self.named(&target, name, is_last, depth + 1),
                _ => None,
            })
        };
        // A module and what it exports may have the same name: the last word of a path means the item.
        if is_last { handed_on().or(child).or_else(by_glob) } else { child.or_else(handed_on).or_else(by_glob) }
    }
}

/// Returns the words of the path that the tokens begin with, and how many tokens they are, a last `::` included.
fn segments(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        words.push(word.to_string());
        at += 1;
        match &tokens[at..] {
            [first, second, ..] if is_punct(first, ':') && is_punct(second, ':') => at += 2,
            _ => break,
        }
    }
    (words, at)
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}
