//! The modules of the page as one script: a page from a disk may load no modules.

use std::collections::HashSet;

/// Returns one script of modules, each with its name. It runs `main` and all modules that it imports, each after its
/// own imports. `replaced` is a module and its replacement.
///
/// # Errors
/// Names a module that is imported but missing, or that imports itself.
pub(super) fn bundle(modules: &[(&str, &str)], main: &str, replaced: (&str, &str)) -> Result<String, String> {
    let mut bundle = Bundle { modules, replaced, written: HashSet::new(), open: Vec::new(), script: String::new() };
    bundle.add(main)?;
    Ok(format!("\"use strict\";\n(() => {{\nconst modules = {{}};\n{}}})();\n", bundle.script))
}

struct Bundle<'a> {
    modules: &'a [(&'a str, &'a str)],
    replaced: (&'a str, &'a str),
    written: HashSet<&'a str>,
    /// The modules that are being written, each imported by the one before it.
    open: Vec<&'a str>,
    script: String,
}

impl<'a> Bundle<'a> {
    fn add(&mut self, name: &str) -> Result<(), String> {
        let name = if name == self.replaced.0 { self.replaced.1 } else { name };
        let found = self.modules.iter().find(|(known, _)| *known == name);
        let &(name, text) = found.ok_or_else(|| format!("there is no module {name}"))?;
        if self.written.contains(name) {
            return Ok(());
        }
        if self.open.contains(&name) {
            return Err(format!("{name} imports itself: {}", self.open.join(", ")));
        }
        self.open.push(name);
        let (mut body, mut exports) = (String::new(), Vec::new());
        for line in text.lines() {
            if let Some((names, module)) = import_of(line) {
                self.add(module)?;
                let module = if module == self.replaced.0 { self.replaced.1 } else { module };
                body.push_str(&format!("const {{{}}} = modules[{module:?}];\n", names.replace(" as ", ": ")));
            } else {
                let bare = line.strip_prefix("export ");
                exports.extend(bare.and_then(declared));
                body.push_str(bare.unwrap_or(line));
                body.push('\n');
            }
        }
        self.open.pop();
        self.written.insert(name);
        let exports = exports.join(", ");
        self.script.push_str(&format!("modules[{name:?}] = (() => {{\n{body}return {{ {exports} }};\n}})();\n"));
        Ok(())
    }
}

/// Returns the names and the module of a line that imports: `import { a, b } from "./c.js";`
fn import_of(line: &str) -> Option<(&str, &str)> {
    let (names, module) = line.strip_prefix("import {")?.split_once("} from \"./")?;
    Some((names, module.strip_suffix("\";")?))
}

/// Returns the name that a line declares.
fn declared(line: &str) -> Option<&str> {
    let words = line.strip_prefix("async ").unwrap_or(line).split_once(' ')?.1;
    words.split(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != '$').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_after_what_they_import() {
        let modules = [
            ("main.js", "import { a as one, b } from \"./a.js\";\none(b);"),
            (
                "a.js",
                "import { c } from \"./api.js\";\nexport function a() {}\nexport const b = c;\nexport async function d() {}",
            ),
            ("api.js", "export const c = 1;"),
            ("files.js", "export class c {}"),
        ];
        let script = bundle(&modules, "main.js", ("api.js", "files.js")).unwrap();
        assert!(
            script.contains("modules[\"files.js\"] = (() => {\nclass c {}\nreturn { c };\n})();\nmodules[\"a.js\"]"),
            "{script}"
        );
        assert!(script.contains("const { a: one, b } = modules[\"a.js\"];\none(b);"), "{script}");
        assert!(
            script.contains("return { a, b, d };") && !script.contains("api.js") && !script.contains("export"),
            "{script}"
        );
        assert!(bundle(&modules, "b.js", ("", "")).is_err());
        assert!(bundle(&[("a.js", "import { a } from \"./a.js\";")], "a.js", ("", "")).unwrap_err().contains("itself"));
    }
}
