//! The elements of `problem.xml`, with their places for messages.

use crate::error::ImportError;
use crate::files;
use roxmltree::Node;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An element, and the package that it is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    root: &'a Path,
    file: &'a Path,
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// Returns an element of a file of the package at `root`.
    pub(super) fn new(root: &'a Path, file: &'a Path, node: Node<'a, 'a>) -> Self {
        Self { root, file, node }
    }

    pub(super) fn name(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Returns the elements directly below.
    pub(super) fn children(&self) -> impl Iterator<Item = Self> + use<'a> {
        let (root, file) = (self.root, self.file);
        self.node.children().filter(Node::is_element).map(move |node| Self { root, file, node })
    }

    /// Returns the elements of a name, below the elements of the names before it.
    pub(super) fn all(&self, path: &[&str]) -> Vec<Self> {
        path.iter().fold(vec![*self], |above, name| {
            above.iter().flat_map(Self::children).filter(|child| child.name() == *name).collect()
        })
    }

    /// Returns the first of these elements.
    pub(super) fn first(&self, path: &[&str]) -> Option<Self> {
        self.all(path).into_iter().next()
    }

    /// Returns an attribute that is not empty.
    pub(super) fn attribute(&self, key: &str) -> Option<&'a str> {
        self.node.attribute(key).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Returns the names of its attributes.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.node.attributes().map(|attribute| attribute.name())
    }

    pub(super) fn required(&self, key: &str) -> Result<&'a str, ImportError> {
        let what = || format!("<{}> has no `{key}`", self.name());
        self.attribute(key).ok_or_else(|| self.bad(what(), format!("{key}=\"…\"")))
    }

    /// Returns a number in an attribute.
    pub(super) fn number<T: FromStr>(&self, key: &str) -> Result<Option<T>, ImportError> {
        let read =
            |value: &str| value.parse().map_err(|_| self.bad(format!("bad value of `{key}`: `{value}`"), "a number"));
        self.attribute(key).map(read).transpose()
    }

    /// Returns the text of an element below; `None` if there is none.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.first(&[name])?.node.text().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns the whole number in an element below.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>, ImportError> {
        let Some(child) = self.first(&[name]) else { return Ok(None) };
        let text = self.text(name).unwrap_or_default();
        let bad = || child.bad(format!("bad <{name}>: `{text}`"), "a whole number");
        text.parse().map(Some).map_err(|_| bad())
    }

    /// Returns the file of the package that an attribute names.
    pub(super) fn file(&self, key: &str) -> Result<PathBuf, ImportError> {
        let named = self.required(key)?;
        let path = self.root.join(named);
        if !path.is_file() {
            return Err(self.bad(format!("there is no file `{named}` in the package"), "a file of the package"));
        }
        files::check_link(self.root, &path)?;
        Ok(path)
    }

    /// Returns an error at the line of this element.
    pub(super) fn bad(&self, what: impl Into<String>, expected: impl Into<String>) -> ImportError {
        ImportError::bad(self.file, what, expected).at(self.line())
    }

    /// Returns the error that the package asks for what makes its verdicts wrong.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> ImportError {
        ImportError::unsupported(self.file, what)
    }

    /// Returns a line for what of this element has no place in a problem.
    pub(super) fn left(&self, what: &str) -> String {
        format!("{}:{}: {what}", files::name(self.file), self.line())
    }

    fn line(&self) -> usize {
        self.node.document().text_pos_at(self.node.range().start).row as usize
    }
}
