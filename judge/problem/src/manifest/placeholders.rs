//! The `{name}`s of a command line: which it has, and which it must have.

use super::section::{Located, Section};
use super::suggest::closest;
use std::ops::Range;

/// Reports every `{name}` of a command that is none of `names`, and returns whether there was none. Within single quotes,
/// where shells and awk have braces of their own, only names that are similar to one of them are reported.
pub(super) fn check(section: &Section<'_>, key: &str, command: &Located<&str>, names: &[&str]) -> bool {
    let mut all_known = true;
    for (place, name, is_quoted) in found(command.value) {
        if names.contains(&name) || name == "folder" {
            continue;
        }
        let meant = closest(name, names.iter().copied());
        if is_quoted && meant.is_none() {
            continue;
        }
        let expected = match meant {
            Some(meant) => format!("did you mean `{{{meant}}}`?"),
            None => format!("expected `{{{}}}`", names.join("}` or `{")),
        };
        let span = span_at(command, place, name.len() + 2);
        section.complain(span, format!("unknown placeholder `{{{name}}}` in `{key}`"), expected);
        all_known = false;
    }
    all_known
}

/// Reports a command without `{name}`, unless it has a placeholder that is meant to be it. Returns whether it has it.
pub(super) fn require(section: &Section<'_>, command: &Located<&str>, what: &str, name: &str, is: &str) -> bool {
    let has = command.value.contains(&format!("{{{name}}}"));
    if !has && !found(command.value).any(|(_, other, _)| closest(other, [name]).is_some()) {
        section.complain(
            command.span.clone(),
            format!("the {what} has no `{{{name}}}`"),
            format!("add `{{{name}}}`, {is}"),
        );
    }
    has
}

/// Returns the place of some bytes of a command; of all of it, if escapes in its text hide where they are.
fn span_at(command: &Located<&str>, place: usize, length: usize) -> Range<usize> {
    let is_plain = command.span.len() == command.value.len() + 2;
    let start = command.span.start + 1 + place;
    if is_plain { start..start + length } else { command.span.clone() }
}

/// Returns each `{name}` of a command: its place, its name, and whether it is in single quotes.
fn found(line: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    line.match_indices('{').filter_map(|(place, _)| {
        let name = &line[place + 1..][..line[place + 1..].find('}')?];
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
        let is_variable = line[..place].ends_with('$');
        (is_name && !is_variable).then(|| (place, name, line[..place].matches('\'').count() % 2 == 1))
    })
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn placeholders_are_told_from_other_braces() {
        let names = |line| found(line).map(|(_, name, quoted)| (name, quoted)).collect::<Vec<_>>();
        assert_eq!(names("gen {seed} --n={ n }"), [("seed", false), (" n ", false)]);
        assert_eq!(names("awk '{print}' {input}"), [("print", true), ("input", false)]);
        assert_eq!(names("sh -c 'echo ${HOME} {a,b} {} {' {"), []);
    }
}
