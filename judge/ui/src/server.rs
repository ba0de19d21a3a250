//! The server: its port, its routes, its embedded page, and its end. An [`Endpoint`] has one address for programs: each
//! message is posted there, and the response contains its answer. It has the same guard as the pages.

use crate::api::{self, Starter};
use crate::bundle;
use crate::guard::{Guard, guarded};
use crate::store::Store;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use judge_problem::Catalogue;
use judge_report::assets::{self, Asset, SCRIPTS, joined, slim, slim_style};
use judge_session::Failure;
use rustix::process::Signal;
use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{self, SignalKind, signal};
use tokio::sync::oneshot;

/// The port that is tried first, so that an address stays the same from day to day.
const PORT: u16 = 4870;

/// How long the server waits for its runs to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time between two checks whether they have ended.
const PAUSE: Duration = Duration::from_millis(20);

/// A port of this machine, with the guard of the pages served there.
pub(crate) struct GuardedListener {
    listener: TcpListener,
    guard: Arc<Guard>,
    runtime: Runtime,
    /// Installed first: signals work as soon as the address is printed.
    signals: [unix::Signal; 2],
}

impl GuardedListener {
    /// Takes a port of the loopback interface.
    pub(crate) fn open(listener: TcpListener) -> Result<Self, Failure> {
        let port = listener.local_addr().map_err(Failure::fault)?.port();
        let guard = Arc::new(Guard::new(port).map_err(Failure::fault)?);
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::fault)?;
        let signals = signals(&runtime).map_err(Failure::fault)?;
        Ok(Self { listener, guard, runtime, signals })
    }

    /// Serves these routes, behind the guard, until Ctrl-C or SIGTERM. Then waits for `end`, until another signal.
    pub(crate) fn serve(self, routes: Router, end: impl Future<Output = ()>) -> Result<(), Failure> {
        let Self { listener, guard, runtime, signals: [mut interrupt, mut terminate] } = self;
        let served = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            // The last layer is the outermost: it runs before the routes.
            let routes = routes.layer(from_fn_with_state(guard, guarded));
            let served = tokio::select! {
                served = axum::serve(listener, routes).into_future() => served,
                _ = interrupt.recv() => Ok(()),
                _ = terminate.recv() => Ok(()),
            };
            tokio::select! {
                () = end => {}
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            served
        });
        // Streams of events and long answers are cut off.
        runtime.shutdown_background();
        served.map_err(Failure::fault)
    }
}

/// A server that has its port.
pub struct Server {
    listener: GuardedListener,
    store: Arc<Store>,
}

impl Server {
    /// Binds a port of the loopback interface: this one, or the usual one if it is free, or any free one. `starts` says
    /// whether pages may start runs.
    pub fn bind(port: Option<u16>, catalogue: Catalogue, starts: bool) -> Result<Self, Failure> {
        let store = Arc::new(Store::new(catalogue, starts.then(Starter::default))?);
        Ok(Self { listener: GuardedListener::open(listen(port, "without --port, a free one is taken")?)?, store })
    }

    /// Returns the address with the token.
    pub fn url(&self) -> String {
        self.listener.guard.url()
    }

    /// Answers requests until Ctrl-C or SIGTERM. Then it ends the runs that its pages have started.
    pub fn run(self) -> Result<(), Failure> {
        let Self { listener, store } = self;
        let routes = router(Arc::clone(&store));
        let end = async {
            if let Some(starter) = &store.starter {
                end_runs(starter).await;
            }
        };
        let served = listener.serve(routes, end);
        // Runs that did not end after the interrupt are killed.
        store.starter.iter().for_each(|starter| starter.signal_all(Signal::KILL));
        served
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

/// Binds a port; `None` is the usual one, or else a free one. `hint` says how to take a free one.
pub(crate) fn listen(port: Option<u16>, hint: &str) -> Result<TcpListener, Failure> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let bound = match port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    bound.map_err(|error| {
        let failure = Failure::usage(format!("cannot listen on port {}: {error}", port.unwrap_or_default()));
        match error.kind() {
            ErrorKind::AddrInUse | ErrorKind::PermissionDenied => failure.with_hint(hint),
            _ => failure,
        }
    })
}

fn router(store: Arc<Store>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/assets/{name}", get(file))
        .nest("/api", api::router())
        .nest("/replay", api::replays())
        .fallback(async || (StatusCode::NOT_FOUND, "there is no such page\n"))
        .with_state(store)
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The names and the texts of files of the page.
macro_rules! assets {
    ($($name:literal),+ $(,)?) => { [$(($name, include_str!(concat!("../assets/", $name)))),+] };
}

/// The modules of the page, in addition to the ones that it shares with the reports.
const MODULES: [Asset; 19] = assets![
    "main.js",
    "api.js",
    "address.js",
    "rows.js",
    "runs.js",
    "run.js",
    "cases.js",
    "labels.js",
    "started.js",
    "case.js",
    "compare.js",
    "grid.js",
    "heatmap.js",
    "problems.js",
    "fresh.js",
    "replays.js",
    "play.js",
    "playboard.js",
    "replay.js",
];

/// The modules that replace the API in a page without a server.
const SITE_MODULES: [Asset; 3] = assets!["static.js", "formula.js", "columns.js"];

const PAGE: &str = include_str!("../assets/index.html");

/// Returns the page. Its scripts load everything else.
pub(super) async fn page() -> Response {
    ([(CONTENT_TYPE, HTML)], PAGE).into_response()
}

/// Returns a file of the page.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match served(&name) {
        Some((kind, text)) => ([(CONTENT_TYPE, kind)], text).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

/// Returns the media type of a file, and its text as it is served.
fn served(name: &str) -> Option<(&'static str, Cow<'static, str>)> {
    Some(match name {
        "style.css" => (CSS, slim_style(assets::STYLE).into()),
        "game.css" => (CSS, slim_style(assets::GAME_STYLE).into()),
        "uPlot.min.css" => (CSS, slim_style(assets::CHART_STYLE).into()),
        "uPlot.iife.min.js" => (SCRIPT, assets::CHART_LIBRARY.into()),
        // The licence must be included in every copy.
        "uPlot.LICENSE" => (TEXT, assets::CHART_LICENSE.into()),
        _ => {
            let (_, text) = MODULES.iter().chain(&SCRIPTS).find(|(known, _)| *known == name)?;
            (SCRIPT, joined(&slim(text)).into())
        }
    })
}

/// Returns all scripts of the page as one that needs no server.
pub(super) fn bundle() -> Result<String, String> {
    let modules = MODULES.iter().chain(&SCRIPTS).chain(&SITE_MODULES);
    let modules: Vec<_> = modules.map(|(name, text)| (*name, slim(text))).collect();
    let modules: Vec<_> = modules.iter().map(|(name, text)| (*name, text.as_str())).collect();
    bundle::bundle(&modules, "main.js", ("api.js", "static.js"))
}

/// The policy of a page without a server: the same as with one, but without requests.
const STATIC_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'";

/// Returns the page for a folder of files. All its addresses are relative.
pub(super) fn static_page() -> String {
    let lines =
        PAGE.lines().filter(|line| !line.starts_with("<script") && !line.starts_with("<link rel=\"stylesheet\""));
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{STATIC_POLICY}\">\n<link rel=\"stylesheet\" href=\"style.css\">\n\
         <script src=\"uPlot.js\" defer></script>\n<script src=\"site.js\" defer></script>\n</head>"
    );
    let page: String = lines.flat_map(|line| [line, "\n"]).collect();
    page.replace("</head>", &head)
        .replace("<a href=\"#/play\">Play</a>", "")
        .replace("/assets/uPlot.LICENSE", "uPlot.LICENSE")
}

/// Takes the answer to a message; `None`: there is none.
pub type Reply = Box<dyn FnOnce(Option<String>) + Send>;

/// State that is kept until the answer comes. It is dropped at once if the client closes its connection.
type Pending = Box<dyn Send>;

/// Takes a message, and passes its answer to the reply, at once or later.
type Take = Arc<dyn Fn(&[u8], Reply) -> Pending + Send + Sync>;

/// Where messages are posted.
const PATH: &str = "/rpc";

/// A server of one address.
pub struct Endpoint {
    listener: GuardedListener,
}

impl Endpoint {
    /// Binds a port of the loopback interface; 0 is a free one.
    pub fn bind(port: u16) -> Result<Self, Failure> {
        let listener = listen(Some(port), "port 0 takes a free one: --listen 127.0.0.1:0")?;
        Ok(Self { listener: GuardedListener::open(listener)? })
    }

    /// Returns the address that messages are posted to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.listener.guard.port)
    }

    /// Returns the token that each message comes with, as a bearer.
    pub fn token(&self) -> &str {
        &self.listener.guard.token
    }

    /// Takes messages of at most `limit` bytes until Ctrl-C or SIGTERM. The result of `take` is dropped as soon as the
    /// client closes its connection or has its answer.
    pub fn run<P: Send + 'static>(
        self,
        limit: usize,
        take: impl Fn(&[u8], Reply) -> P + Send + Sync + 'static,
    ) -> Result<(), Failure> {
        let take: Take = Arc::new(move |message, reply| Box::new(take(message, reply)));
        let routes = Router::new()
            .route(PATH, post(answer))
            .fallback(async || (StatusCode::NOT_FOUND, "messages are posted to /rpc\n"))
            .layer(DefaultBodyLimit::max(limit))
            .with_state(take);
        self.listener.serve(routes, async {})
    }
}

async fn answer(State(take): State<Take>, message: Bytes) -> Response {
    let (sender, receiver) = oneshot::channel();
    // The client may have disconnected.
    let _pending = take(&message, Box::new(move |line| drop(sender.send(line))));
    match receiver.await {
        Ok(Some(line)) => ([(CONTENT_TYPE, "application/json")], line).into_response(),
        Ok(None) => StatusCode::NO_CONTENT.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The maximal size of all scripts and styles together, in bytes.
    const MAX_BYTES: usize = 250_000;

    #[test]
    fn scripts_and_styles_are_small() {
        let others = ["style.css", "game.css", "uPlot.min.css", "uPlot.iife.min.js"];
        let names = MODULES.iter().chain(&SCRIPTS).map(|(name, _)| *name).chain(others);
        let bytes: usize = names.map(|name| served(name).unwrap().1.len()).sum();
        assert!(bytes < MAX_BYTES, "{bytes} bytes");
    }
}
