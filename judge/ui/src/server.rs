//! The server: its port, its routes, and its end.

use super::api;
use super::assets;
use super::guard::{Guard, guarded};
use super::started::Starter;
use super::store::Store;
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use judge_problem::manifest::Catalogue;
use judge_session::failure::Failure;
use rustix::process::Signal;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{self, SignalKind, signal};

/// The port that is tried first, so that an address stays the same from day to day.
const PORT: u16 = 4870;

/// How long runs may take to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time between two looks whether they have.
const PAUSE: Duration = Duration::from_millis(20);

/// A server that has its port.
pub struct Server {
    listener: TcpListener,
    guard: Arc<Guard>,
    store: Arc<Store>,
    runtime: Runtime,
    /// Installed first: the server can be ended as soon as its address is printed.
    signals: [unix::Signal; 2],
}

impl Server {
    /// Takes a port of this machine's loopback: this one, or else the usual one if it is free.
    pub fn bind(port: Option<u16>, catalogue: Catalogue, starter: Option<Starter>) -> Result<Self, Failure> {
        let store = Arc::new(Store::new(catalogue, starter)?);
        let listener = listen(port)?;
        let port = listener.local_addr().map_err(Failure::fault)?.port();
        let guard = Arc::new(Guard::new(port).map_err(Failure::fault)?);
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::fault)?;
        let signals = signals(&runtime).map_err(Failure::fault)?;
        Ok(Self { listener, guard, store, runtime, signals })
    }

    /// Returns the address that lets a browser in.
    pub fn url(&self) -> String {
        self.guard.url()
    }

    /// Answers requests until Ctrl-C or SIGTERM. Then the runs end that were started from its pages.
    pub fn run(self) -> Result<(), Failure> {
        let Self { listener, guard, store, runtime, signals: [mut interrupt, mut terminate] } = self;
        let served = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let served = tokio::select! {
                served = axum::serve(listener, router(guard, Arc::clone(&store))).into_future() => served,
                _ = interrupt.recv() => Ok(()),
                _ = terminate.recv() => Ok(()),
            };
            if let Some(starter) = &store.starter {
                tokio::select! {
                    () = end_runs(starter) => {}
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                // What does not end by itself ends with this process.
                starter.signal_all(Signal::KILL);
            }
            served
        });
        // Streams of events end with their pages, and an answer may take long: both are cut off.
        runtime.shutdown_background();
        served.map_err(Failure::fault)
    }
}

/// Interrupts the runs that go on, and waits for their ends.
async fn end_runs(starter: &Starter) {
    starter.signal_all(Signal::INT);
    let began = Instant::now();
    while starter.is_busy() && began.elapsed() < PATIENCE {
        tokio::time::sleep(PAUSE).await;
    }
}

fn signals(runtime: &Runtime) -> io::Result<[unix::Signal; 2]> {
    let _entered = runtime.enter();
    Ok([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?])
}

fn listen(port: Option<u16>) -> Result<TcpListener, Failure> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let bound = match port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    bound.map_err(|error| {
        let failure = Failure::usage(format!("cannot listen on port {}: {error}", port.unwrap_or_default()));
        match error.kind() {
            ErrorKind::AddrInUse | ErrorKind::PermissionDenied => {
                failure.with_hint("without --port, a free one is taken")
            }
            _ => failure,
        }
    })
}

fn router(guard: Arc<Guard>, store: Arc<Store>) -> Router {
    Router::new()
        .route("/", get(assets::page))
        .route("/assets/{name}", get(assets::file))
        .nest("/api", api::router())
        .nest("/replay", api::replays())
        .fallback(async || (StatusCode::NOT_FOUND, "there is no such page\n"))
        .with_state(store)
        // The last layer is the outermost: it is before the routes.
        .layer(from_fn_with_state(guard, guarded))
}
