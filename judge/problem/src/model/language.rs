//! Languages of solvers: how their sources are recognized, compiled and run.

use super::{Allowance, Bytes, TimeFactor};

/// A language, complete: the fields of its built-in table, replaced by those of the user's and the catalogue's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    /// The name, as `--language` takes it.
    pub name: String,
    /// The endings of its source files, without the point.
    pub extensions: Vec<String>,
    /// The names of files that mark a folder of this language: `Cargo.toml`.
    pub files: Vec<String>,
    /// Commands that compile it, of which the first is used whose program is installed; none for what is interpreted.
    pub compile: Vec<String>,
    /// Commands that run it, of which the first is used whose program is installed.
    pub run: Vec<String>,
    /// Programs that these commands start.
    pub needs: Vec<String>,
    /// The command that prints the version of its compiler or interpreter; it may be missing.
    pub version: Option<String>,
    /// Variables of its programs.
    pub environment: Vec<(String, String)>,
    /// What its programs may use beyond the problem's limits.
    pub allowance: Allowance,
    /// The Debian package that has its compiler or interpreter.
    pub package: Option<String>,
}

/// A `[language.NAME]` table: what it leaves out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LanguageTable {
    /// The language's name.
    pub name: String,
    /// The key `extensions`.
    pub extensions: Option<Vec<String>>,
    /// The key `files`.
    pub files: Option<Vec<String>>,
    /// The key `compile`.
    pub compile: Option<Vec<String>>,
    /// The key `run`.
    pub run: Option<Vec<String>>,
    /// The key `needs`.
    pub needs: Option<Vec<String>>,
    /// The key `version`.
    pub version: Option<String>,
    /// The table `environment`.
    pub environment: Option<Vec<(String, String)>>,
    /// The key `time-factor`.
    pub time_factor: Option<TimeFactor>,
    /// The key `extra-memory`.
    pub extra_memory: Option<Bytes>,
    /// The key `extra-processes`.
    pub extra_processes: Option<u32>,
    /// The key `package`.
    pub package: Option<String>,
}

/// All languages, in the order in which they are tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Languages(Vec<Language>);

impl Languages {
    /// Returns these languages with the fields of further tables. A table that says which files are its own comes before
    /// the languages that there are: the last word counts.
    #[must_use]
    pub fn with(mut self, tables: &[LanguageTable]) -> Self {
        let mut claimed = 0;
        for table in tables {
            let known = self.0.iter().position(|language| language.name == table.name);
            let mut language = known.map_or_else(|| Language::empty(&table.name), |place| self.0[place].clone());
            language.take(table);
            let claims = table.extensions.is_some() || table.files.is_some();
            match known {
                Some(place) if !claims => self.0[place] = language,
                _ => {
                    if let Some(place) = known {
                        self.0.remove(place);
                        claimed -= usize::from(place < claimed);
                    }
                    self.0.insert(claimed, language);
                    claimed += 1;
                }
            }
        }
        self
    }

    /// Returns these languages with compilers that get the main source alone of a folder's.
    #[must_use]
    pub fn of_main(mut self) -> Self {
        for command in self.0.iter_mut().flat_map(|language| &mut language.compile) {
            *command = command.replace("{sources}", "{source}");
        }
        self
    }

    /// Returns every language, those first that are tried first.
    pub fn iter(&self) -> impl Iterator<Item = &Language> {
        self.0.iter()
    }

    /// Returns the language of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Language> {
        self.iter().find(|language| language.name == name)
    }

    /// Returns the languages of the source files with this ending.
    pub fn of_ending(&self, ending: &str) -> impl Iterator<Item = &Language> {
        self.iter().filter(move |language| language.has_ending(ending))
    }

    /// Returns the endings of all source files, as they are listed in messages: `.rs, .cpp, …`.
    #[must_use]
    pub fn endings(&self) -> String {
        let mut all: Vec<&String> = Vec::new();
        for ending in self.iter().flat_map(|language| &language.extensions) {
            if !all.contains(&ending) {
                all.push(ending);
            }
        }
        all.into_iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
    }
}

impl Language {
    fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            extensions: Vec::new(),
            files: Vec::new(),
            compile: Vec::new(),
            run: Vec::new(),
            needs: Vec::new(),
            version: None,
            environment: Vec::new(),
            allowance: Allowance::default(),
            package: None,
        }
    }

    /// Takes every field that a table has.
    fn take(&mut self, table: &LanguageTable) {
        fn replace<T: Clone>(field: &mut T, given: Option<&T>) {
            if let Some(given) = given {
                field.clone_from(given);
            }
        }
        replace(&mut self.extensions, table.extensions.as_ref());
        replace(&mut self.files, table.files.as_ref());
        replace(&mut self.compile, table.compile.as_ref());
        replace(&mut self.run, table.run.as_ref());
        replace(&mut self.needs, table.needs.as_ref());
        replace(&mut self.environment, table.environment.as_ref());
        replace(&mut self.allowance.time_factor, table.time_factor.as_ref());
        replace(&mut self.allowance.extra_memory, table.extra_memory.as_ref());
        replace(&mut self.allowance.extra_processes, table.extra_processes.as_ref());
        self.version = table.version.clone().or_else(|| self.version.take());
        self.package = table.package.clone().or_else(|| self.package.take());
    }

    /// Returns whether source files of this language have this ending.
    #[must_use]
    pub fn has_ending(&self, ending: &str) -> bool {
        self.extensions.iter().any(|own| own == ending)
    }

    /// Returns whether one of its commands has this placeholder.
    #[must_use]
    pub fn uses(&self, placeholder: &str) -> bool {
        self.compile.iter().chain(&self.run).any(|line| line.contains(placeholder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, extensions: &[&str], run: &str) -> LanguageTable {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        LanguageTable {
            name: name.to_owned(),
            extensions: (!extensions.is_empty()).then(|| texts(extensions)),
            run: (!run.is_empty()).then(|| texts(&[run])),
            ..LanguageTable::default()
        }
    }

    fn names(languages: &Languages, ending: &str) -> Vec<String> {
        languages.of_ending(ending).map(|language| language.name.clone()).collect()
    }

    #[test]
    fn a_table_replaces_fields_and_claims_the_endings_that_it_names() {
        let built_in = [table("python", &["py"], "python3"), table("pypy", &["py"], "pypy3")];
        let languages = Languages::default().with(&built_in);
        assert_eq!(
            (names(&languages, "py"), languages.endings()),
            (vec!["python".into(), "pypy".into()], ".py".into())
        );
        let patched = languages.clone().with(&[table("pypy", &[], "pypy3 -u")]);
        assert_eq!(names(&patched, "py"), ["python", "pypy"], "it says nothing of endings");
        assert_eq!(patched.find("pypy").unwrap().run, ["pypy3 -u"]);
        let claimed = languages.with(&[table("cython", &["py"], "cython"), table("pypy", &["py"], "")]);
        assert_eq!(names(&claimed, "py"), ["cython", "pypy", "python"]);
        assert_eq!(claimed.find("pypy").unwrap().run, ["pypy3"]);
    }
}
