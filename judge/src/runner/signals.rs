//! What makes the judge stop early: Ctrl-C, or a termination signal.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(test)]
use tokio::sync::mpsc::UnboundedReceiver;

/// The requests to stop, one after the other.
pub(super) enum Signals {
    /// Those sent to this process, instead of their ordinary effect.
    OfProcess { interrupt: Signal, terminate: Signal },
    /// Those that a test sends.
    #[cfg(test)]
    Scripted(UnboundedReceiver<()>),
}

impl Signals {
    pub(super) fn install() -> io::Result<Self> {
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self::OfProcess { interrupt, terminate })
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        match self {
            Self::OfProcess { interrupt, terminate } => {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            }
            #[cfg(test)]
            Self::Scripted(sent) => {
                if sent.recv().await.is_none() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}
