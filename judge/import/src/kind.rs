//! The kinds of packages.

/// A kind of package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Of Kattis or ICPC.
    Kattis,
    /// Of Polygon.
    Polygon,
    /// Of pahcer.
    Pahcer,
    /// Of DMOJ.
    Dmoj,
    /// Of an AtCoder Heuristic Contest.
    Ahc,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Kattis, Self::Polygon, Self::Pahcer, Self::Dmoj, Self::Ahc];

    /// Returns its name, as `--kind` takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kattis => "kattis",
            Self::Polygon => "polygon",
            Self::Pahcer => "pahcer",
            Self::Dmoj => "dmoj",
            Self::Ahc => "ahc",
        }
    }

    /// Returns what a package of this kind is, for `--help`.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Kattis => "A problem package of Kattis or ICPC, of the legacy format or from 2023-07 on",
            Self::Polygon => "A package of Polygon, with its tests or without",
            Self::Pahcer => "A project of pahcer, whose tests a checker scores",
            Self::Dmoj => "A problem of DMOJ, whose checker is a comparison",
            Self::Ahc => {
                "The tools of an AtCoder Heuristic Contest: a Cargo package with the programs gen, vis and tester"
            }
        }
    }

    /// Returns what a folder of this kind has at its top.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Kattis => "problem.yaml",
            Self::Polygon => "problem.xml",
            Self::Pahcer => "pahcer_config.toml",
            Self::Dmoj => "init.yml",
            Self::Ahc => "Cargo.toml with src/bin/vis.rs",
        }
    }

    /// Returns what folders of these kinds have at their top: `problem.yaml (kattis)`.
    #[must_use]
    pub fn signs(kinds: &[Self]) -> String {
        kinds.iter().map(|kind| format!("{} ({})", kind.sign(), kind.name())).collect::<Vec<_>>().join(", ")
    }
}
