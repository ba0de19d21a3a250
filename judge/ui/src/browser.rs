//! Shows an address in the user's browser.

use std::io;
use std::process::{Command, Stdio};

/// The programs that open an address in the browser that the user has chosen.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Opens an address in a browser, without waiting for it.
///
/// # Errors
/// When none of the programs that do this can be started.
pub fn open(url: &str) -> io::Result<()> {
    let start = |program| {
        let quiet = || Stdio::null();
        Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()
    };
    let mut child =
        OPENERS.into_iter().map(start).reduce(Result::or).unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))?;
    std::thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait())?;
    Ok(())
}
