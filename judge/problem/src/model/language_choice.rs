//! The language of a solver as the user chooses it.

use std::convert::Infallible;
use std::str::FromStr;

/// A language that the user chose: for one solver, or for all that are sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageChoice {
    /// The name of the solver; `None`: all.
    pub solver: Option<String>,
    /// The name of the language.
    pub language: String,
}

impl FromStr for LanguageChoice {
    type Err = Infallible;

    /// Reads `LANGUAGE` or `SOLVER=LANGUAGE`.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.rsplit_once('=') {
            Some((solver, language)) => Self { solver: Some(solver.to_owned()), language: language.to_owned() },
            None => Self { solver: None, language: text.to_owned() },
        })
    }
}

impl LanguageChoice {
    /// Returns the language that was chosen for the solver of this name.
    #[must_use]
    pub fn of<'a>(choices: &'a [Self], name: &str) -> Option<&'a str> {
        let own = choices.iter().rfind(|choice| choice.solver.as_deref() == Some(name));
        let choice = own.or_else(|| choices.iter().rfind(|choice| choice.solver.is_none()))?;
        Some(&choice.language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_s_own_language_comes_before_that_of_all() {
        let choices: Vec<LanguageChoice> = ["python", "new=pypy"].iter().map(|text| text.parse().unwrap()).collect();
        let of = |name| LanguageChoice::of(&choices, name);
        assert_eq!((of("new"), of("old")), (Some("pypy"), Some("python")));
        assert_eq!(LanguageChoice::of(&choices[1..], "old"), None);
    }
}
