//! Numbers of things.

/// Returns `1 case` or `7 cases`.
#[must_use]
pub fn counted(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}
