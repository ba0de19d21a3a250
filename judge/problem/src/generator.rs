//! Parameters of generators, and the cases that give them values: `seed=7,n=100`.

use crate::{Digest, InvalidText, parse_seed};
use judge_statistics::tune::{Domain, InvalidParameter};
use std::fmt;
use std::str::FromStr;

/// A parameter of a generator.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratorParameter {
    /// The name between the braces of the command.
    pub name: String,
    /// The values that it can have.
    pub domain: Domain,
}

impl GeneratorParameter {
    /// Reads `1..100`, `1..1e5`, `1..100:log`, `0.0..1.0` or `{a,b}`. If the ends have no decimal point, the values are
    /// whole numbers.
    ///
    /// # Errors
    /// When it is not a range.
    pub fn read(name: &str, range: &str) -> Result<Self, InvalidParameter> {
        let (ends, rest) = range.split_once(':').unwrap_or((range, ""));
        let is_whole = |end: &str| !end.contains('.') && end.trim().parse::<f64>().is_ok_and(|end| end.fract() == 0.0);
        let are_whole = ends.split_once("..").is_some_and(|(low, high)| is_whole(low) && is_whole(high));
        let needs_word = are_whole && !rest.split(':').any(|word| word == "int");
        let whole = if needs_word { format!("{range}:int") } else { range.to_owned() };
        Ok(Self { name: name.to_owned(), domain: whole.parse()? })
    }

    /// Returns the range as [`GeneratorParameter::read`] reads it.
    pub fn range(&self) -> String {
        match &self.domain {
            Domain::Range { low, high, is_log, is_whole } => {
                let log = if *is_log { ":log" } else { "" };
                if *is_whole { format!("{low}..{high}{log}") } else { format!("{low:?}..{high:?}{log}") }
            }
            choices @ Domain::Categories(_) => choices.to_string(),
        }
    }

    /// Returns the share of the domain, from 0 to 1, at which a seed draws the value. It never changes.
    pub fn share(&self, seed: u64) -> f64 {
        let Digest(bytes) = Digest::of(format!("{} {seed}", self.name).as_bytes());
        let [a, b, c, d, ..] = bytes;
        f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX)
    }
}

/// The arguments of a generator: a seed, and values of parameters. The seed draws the values of the other parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GeneratorCall {
    /// The seed.
    pub seed: u64,
    /// Names and values.
    pub values: Vec<(String, String)>,
}

impl GeneratorCall {
    /// Returns the values of all parameters, in their order.
    ///
    /// # Errors
    /// When the call gives a value that does not exist.
    pub fn complete(&self, parameters: &[GeneratorParameter]) -> Result<Vec<(String, String)>, InvalidText> {
        for (name, value) in &self.values {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == *name) else {
                let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(InvalidText(format!("the generator has no parameter `{name}`: it has {known}")));
            };
            if parameter.domain.share(value).is_none() {
                let range = parameter.range();
                let error = format!("`{value}` is no value of the parameter `{name}`: expected one in {range}");
                return Err(InvalidText(error));
            }
            // The text of a value is part of the case, so each number has one form.
            let whole =
                value.parse::<i64>().ok().filter(|_| parameter.domain.is_whole()).map(|whole| whole.to_string());
            if let Some(whole) = whole.filter(|whole| whole != value) {
                return Err(InvalidText(format!(
                    "bad form of the parameter `{name}`: expected `{whole}`, found `{value}`"
                )));
            }
        }
        let value = |parameter: &GeneratorParameter| {
            let given = self.values.iter().find(|(name, _)| *name == parameter.name);
            let drawn = || parameter.domain.at(parameter.share(self.seed));
            (parameter.name.clone(), given.map_or_else(drawn, |(_, value)| value.clone()))
        };
        Ok(parameters.iter().map(value).collect())
    }
}

impl FromStr for GeneratorCall {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let form = || InvalidText::expected("a seed and parameters such as `seed=7,n=100`", text);
        let (mut seed, mut values) = (None, Vec::<(String, String)>::new());
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(form)?;
            let (name, value) = (name.trim(), value.trim());
            let is_repeated =
                if name == "seed" { seed.is_some() } else { values.iter().any(|(other, _)| other == name) };
            if is_repeated {
                return Err(InvalidText(format!("`{name}` has two values")));
            }
            match name {
                "seed" => seed = Some(parse_seed(value).map_err(|_| form())?),
                "" => return Err(form()),
                _ if value.is_empty() => return Err(form()),
                _ => values.push((name.to_owned(), value.to_owned())),
            }
        }
        Ok(Self { seed: seed.ok_or_else(form)?, values })
    }
}

impl fmt::Display for GeneratorCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "seed={}", self.seed)?;
        self.values.iter().try_for_each(|(name, value)| write!(formatter, ",{name}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<GeneratorParameter> {
        [("n", "1..100"), ("p", "0.0..1.0"), ("kind", "{path,star}")]
            .map(|(name, range)| GeneratorParameter::read(name, range).unwrap())
            .to_vec()
    }

    #[test]
    fn ends_without_a_point_are_whole_numbers() {
        let read = |range| GeneratorParameter::read("n", range).map(|parameter| parameter.range());
        assert_eq!(read("1..1e5"), Ok("1..100000".to_owned()));
        assert_eq!(read("1e-3..1"), Ok("0.001..1.0".to_owned()));
        assert!(read("0..18446744073709551615").unwrap_err().to_string().contains("below 2^53"));
    }

    #[test]
    fn the_seed_draws_what_is_not_given() {
        let call: GeneratorCall = "n=7, seed=3".parse().unwrap();
        assert_eq!(call.to_string(), "seed=3,n=7");
        let values = call.complete(&parameters()).unwrap();
        assert_eq!(values[0], ("n".to_owned(), "7".to_owned()));
        assert_eq!(values, call.complete(&parameters()).unwrap());
        let drawn: Vec<i64> = (0..500)
            .map(|seed| {
                GeneratorCall { seed, values: Vec::new() }.complete(&parameters()).unwrap()[0].1.parse().unwrap()
            })
            .collect();
        assert!(drawn.iter().all(|n| (1..=100).contains(n)), "whole numbers");
        assert!(drawn.iter().any(|n| *n < 10) && drawn.iter().any(|n| *n > 90));
    }

    #[test]
    fn a_wrong_call_says_what_is_wrong() {
        for (text, message) in [
            ("n=7", "expected a seed and parameters such as `seed=7,n=100`, found `n=7`"),
            ("seed=1,n", "expected a seed and parameters such as `seed=7,n=100`, found `seed=1,n`"),
            ("seed=1,n=1,n=2", "`n` has two values"),
        ] {
            assert_eq!(text.parse::<GeneratorCall>().unwrap_err().to_string(), message);
        }
        for (text, message) in [
            ("seed=1,m=7", "the generator has no parameter `m`: it has n, p, kind"),
            ("seed=1,n=101", "`101` is no value of the parameter `n`: expected one in 1..100"),
            ("seed=1,n=6.0", "`6.0` is no value of the parameter `n`: expected one in 1..100"),
            ("seed=1,n=05", "bad form of the parameter `n`: expected `5`, found `05`"),
            ("seed=1,p=2", "`2` is no value of the parameter `p`: expected one in 0.0..1.0"),
            ("seed=1,kind=tree", "`tree` is no value of the parameter `kind`: expected one in {path,star}"),
        ] {
            let call: GeneratorCall = text.parse().unwrap();
            assert_eq!(call.complete(&parameters()).unwrap_err().to_string(), message);
        }
    }
}
