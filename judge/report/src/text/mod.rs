//! The parts of all reports: tables, figures, colours, JSON values, and the terminal.

pub(super) mod effects;
pub(super) mod failures;
pub(super) mod figures;
pub(super) mod json;
pub(super) mod progress;
pub(super) mod provenance;
pub(super) mod replay;
pub(super) mod sheet;
pub(super) mod table;
pub(super) mod terminal;

pub(crate) use effects::*;
pub use failures::*;
pub use figures::*;
pub use json::*;
pub use progress::*;
pub use provenance::reused_line;
pub(crate) use provenance::*;
pub use replay::*;
pub use sheet::*;
pub use table::*;
pub use terminal::*;
