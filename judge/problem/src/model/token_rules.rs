//! How the built-in checker `tokens` compares.

use std::fmt;

/// How two texts are compared, token by token. The names are those of the flags of Kattis' default validator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenRules {
    /// Whether upper and lower case differ.
    pub case_sensitive: bool,
    /// Whether all white space must be the same.
    pub space_change_sensitive: bool,
    /// By how much a number may differ; negative: not at all.
    pub absolute: f64,
    /// By which share of the expected number a number may differ; negative: not at all.
    pub relative: f64,
}

/// Words that are not arguments of the checker `tokens`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenRulesError {
    /// No such flag.
    #[error("unknown argument `{0}` of the checker `tokens`")]
    Unknown(String),
    /// A flag without its number.
    #[error("`{flag}` needs a number such as 1e-6, found {found}")]
    Tolerance {
        /// The flag.
        flag: String,
        /// What follows it.
        found: String,
    },
}

impl TokenRules {
    /// The flags, in the order of the documentation.
    pub const FLAGS: [&str; 5] = [
        "case_sensitive",
        "space_change_sensitive",
        "float_absolute_tolerance",
        "float_relative_tolerance",
        "float_tolerance",
    ];

    /// Reads the arguments of the checker.
    ///
    /// # Errors
    /// When one is unknown, or a tolerance is no number.
    pub fn parse(arguments: &[String]) -> Result<Self, TokenRulesError> {
        let mut rules = Self::default();
        let mut words = arguments.iter();
        while let Some(flag) = words.next() {
            let mut tolerance = || {
                let next = words.next();
                let read = next.and_then(|word| word.parse::<f64>().ok()).filter(|number| number.is_finite());
                let found = next.map_or_else(|| "nothing".to_owned(), |word| format!("`{word}`"));
                read.ok_or_else(|| TokenRulesError::Tolerance { flag: flag.clone(), found })
            };
            match &**flag {
                "case_sensitive" => rules.case_sensitive = true,
                "space_change_sensitive" => rules.space_change_sensitive = true,
                "float_absolute_tolerance" => rules.absolute = tolerance()?,
                "float_relative_tolerance" => rules.relative = tolerance()?,
                "float_tolerance" => {
                    rules.relative = tolerance()?;
                    rules.absolute = rules.relative;
                }
                _ => return Err(TokenRulesError::Unknown(flag.clone())),
            }
        }
        Ok(rules)
    }

    /// Returns whether numbers are compared as numbers.
    #[must_use]
    pub fn has_tolerance(&self) -> bool {
        self.absolute >= 0.0 || self.relative >= 0.0
    }
}

impl Default for TokenRules {
    fn default() -> Self {
        Self { case_sensitive: false, space_change_sensitive: false, absolute: -1.0, relative: -1.0 }
    }
}

impl fmt::Display for TokenRules {
    /// Writes the arguments that give these rules.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.case_sensitive.then(|| "case_sensitive".to_owned()));
        words.extend(self.space_change_sensitive.then(|| "space_change_sensitive".to_owned()));
        words.extend((self.absolute >= 0.0).then(|| format!("float_absolute_tolerance {:e}", self.absolute)));
        words.extend((self.relative >= 0.0).then(|| format!("float_relative_tolerance {:e}", self.relative)));
        formatter.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<TokenRules, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        TokenRules::parse(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_read_and_written_back() {
        for line in ["", "case_sensitive", "space_change_sensitive", "float_absolute_tolerance 1e-9"] {
            assert_eq!(parse(line).unwrap().to_string(), line);
        }
        let both = parse("case_sensitive float_tolerance 0.5").unwrap();
        assert_eq!(both.to_string(), "case_sensitive float_absolute_tolerance 5e-1 float_relative_tolerance 5e-1");
        assert_eq!(parse(&both.to_string()), Ok(both));
    }

    #[test]
    fn what_is_no_argument_is_said() {
        for (line, error) in [
            ("case", "unknown argument `case` of the checker `tokens`"),
            ("float_tolerance", "`float_tolerance` needs a number such as 1e-6, found nothing"),
            ("float_tolerance x", "`float_tolerance` needs a number such as 1e-6, found `x`"),
            ("float_absolute_tolerance nan", "`float_absolute_tolerance` needs a number such as 1e-6, found `nan`"),
            ("float_relative_tolerance inf", "`float_relative_tolerance` needs a number such as 1e-6, found `inf`"),
        ] {
            assert_eq!(parse(line), Err(error.to_owned()), "{line}");
        }
    }
}
