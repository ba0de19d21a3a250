//! The grammar of the commands that evaluate solvers for other programs: `serve` and `mcp`.

use super::shared::count;
use super::{ConditionArgs, JobArgs};
use clap::Args;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// How the server evaluates.
#[derive(Debug, Args)]
pub struct EvaluatorArgs {
    /// How many solvers run at once, for all clients together
    #[command(flatten)]
    pub jobs: JobArgs,
    /// The number of requests that may wait
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>, default_value = "1024")]
    pub queue: NonZeroUsize,
    /// Record nothing; this is the default unless --journal names a file
    #[arg(long, conflicts_with = "journal", hide_short_help = true)]
    pub no_journal: bool,
    /// How the solvers are limited, built and isolated
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

/// Arguments of `judge serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge serve                                   requests on standard input, a line an object
  judge serve --listen 127.0.0.1:0              over HTTP; the address and its token are printed as a line of JSON
  judge serve --jobs 2 --journal evolved.db     two solvers at once; every result is recorded
  judge serve --cpu 1s                          the limit of each request, which may set a lower one")]
pub struct ServeArgs {
    /// Answer requests on standard input and output: the default
    #[arg(long, conflicts_with = "listen")]
    pub stdio: bool,
    /// Answer requests over HTTP at this address of this machine; port 0 chooses a free one
    #[arg(long, value_name = "127.0.0.1:PORT", value_parser = loopback)]
    pub listen: Option<SocketAddr>,
    /// The file of the sealed cases, which is created if missing: an `evaluate` without cases returns only the failures
    /// and the best total so far
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub sealed: Option<PathBuf>,
    /// How it evaluates
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
}

/// Reads an address that only programs of this machine reach.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let expected = || format!("expected 127.0.0.1:PORT, an address of this machine alone, found `{text}`");
    let address = text.replacen("localhost:", "127.0.0.1:", 1);
    let address: SocketAddr = address.parse().map_err(|_| expected())?;
    if address.ip() == Ipv4Addr::LOCALHOST { Ok(address) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_taken() {
        assert_eq!(loopback("127.0.0.1:80").unwrap().port(), 80);
        assert_eq!(loopback("localhost:0").unwrap().to_string(), "127.0.0.1:0");
        for other in ["0.0.0.0:80", "192.168.0.1:80", "[::1]:80", "127.0.0.2:80", "80", "127.0.0.1", "127.0.0.1:x", ""]
        {
            assert!(loopback(other).unwrap_err().starts_with("expected 127.0.0.1:PORT"), "{other}");
        }
    }
}
