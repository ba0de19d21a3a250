//! A real browser, driven by the DevTools protocol.

use crate::support::client::Server;
use crate::support::pace::patiently;
use crate::support::require::{Need, skip};
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::io::Read;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// How long to wait until a page shows something.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the browser; `None` if there is none, with a printed message.
pub(crate) fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut paths = std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name)));
    let found = paths.find(|path| path.is_file());
    if found.is_none() {
        skip(Need::Browser, "no Chromium on the PATH");
    }
    found
}

/// Returns the command that starts it without a window. All its files, including downloads and sockets, are in
/// `folder`, which is created if it does not exist.
pub(crate) fn headless(chromium: &Path, folder: &Path) -> Command {
    std::fs::create_dir_all(folder).unwrap();
    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu"]);
    command.arg(format!("--user-data-dir={}", folder.display())).env("TMPDIR", folder).env("HOME", folder);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// The browser that all tests share, while one of them needs it, because starting one takes longer than most tests.
static SHARED: Mutex<Weak<Chromium>> = Mutex::new(Weak::new());

/// A running browser, which ends with this value.
struct Chromium {
    child: Child,
    /// Removed when the browser has ended.
    profile: TempDir,
}

impl Chromium {
    /// Returns the shared browser, or starts it. `None` if there is none, with a printed message.
    fn shared() -> Option<Arc<Self>> {
        let mut shared = SHARED.lock();
        if let Some(running) = shared.upgrade() {
            return Some(running);
        }
        let program = chromium()?;
        let profile = tempfile::Builder::new().prefix("judge-test-").tempdir().unwrap();
        let child = headless(&program, profile.path())
            .args(["--remote-debugging-port=0", "about:blank"])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let started = Arc::new(Self { child, profile });
        *shared = Arc::downgrade(&started);
        Some(started)
    }

    /// Connects to it, as soon as it prints its address.
    fn connect(&self) -> WebSocket<TcpStream> {
        let began = Instant::now();
        let place = loop {
            let place = std::fs::read_to_string(self.profile.path().join("DevToolsActivePort")).unwrap_or_default();
            if place.lines().count() == 2 {
                break place;
            }
            assert!(began.elapsed() < patiently(PATIENCE), "the browser does not start");
            std::thread::sleep(Duration::from_millis(20));
        };
        let (port, path) = place.trim().split_once('\n').unwrap();
        let stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
        stream.set_read_timeout(Some(patiently(PATIENCE))).unwrap();
        tungstenite::client(format!("ws://127.0.0.1:{port}{path}"), stream).unwrap().0
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // With its helpers, which hold its output open: one that is left makes the profile again.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        if let Some(mut output) = self.child.stdout.take() {
            let _ = output.read_to_end(&mut Vec::new());
        }
    }
}

/// A browser's window with its own storage and connections, independent of all others.
pub(crate) struct Browser {
    socket: WebSocket<TcpStream>,
    /// The context that has this storage.
    context: Value,
    session: Option<String>,
    calls: u64,
    /// The messages of the console, and errors.
    pub(crate) complaints: Vec<String>,
    /// The network requests.
    pub(crate) requests: Vec<String>,
    _chromium: Arc<Chromium>,
}

impl Browser {
    /// Opens the page of a server. `None` if there is no browser, with a printed message.
    pub(crate) fn open(server: &Server) -> Option<Self> {
        Self::open_at(&server.url())
    }

    /// Opens a page at an address.
    pub(crate) fn open_at(url: &str) -> Option<Self> {
        let chromium = Chromium::shared()?;
        let mut browser = Self {
            socket: chromium.connect(),
            context: Value::Null,
            session: None,
            calls: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            _chromium: chromium,
        };
        browser.context = browser.call("Target.createBrowserContext", json!({}))["browserContextId"].take();
        browser.open_tab(url);
        Some(browser)
    }

    /// Opens a tab in its own visible window, at an address. All later calls go to this tab.
    pub(crate) fn open_tab(&mut self, url: &str) {
        self.session = None;
        let target = json!({ "url": "about:blank", "newWindow": true, "browserContextId": self.context });
        let page = self.call("Target.createTarget", target);
        let attached = self.call("Target.attachToTarget", json!({ "targetId": page["targetId"], "flatten": true }));
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime", "Log", "Network", "Page", "Accessibility"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        // Windows of other tests have no part in the focus.
        self.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        self.size(1200, 900);
        self.call("Page.navigate", json!({ "url": url }));
        self.until("document.querySelector('main h1') !== null");
    }

    /// Calls a method of the protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["id"] == self.calls {
                return if message["error"].is_null() { Ok(message["result"].clone()) } else { Err(message) };
            }
            self.note(&message);
        }
    }

    fn note(&mut self, message: &Value) {
        let details = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" => self.complaints.push(details.to_string()),
            "Log.entryAdded" if details["entry"]["level"] == "error" => self.complaints.push(details.to_string()),
            "Network.requestWillBeSent" => {
                self.requests.push(details["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }

    /// Evaluates an expression in the page. Null if that leads to another page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        match self.try_evaluate(expression) {
            Ok(value) => value,
            Err(error) if error["error"]["message"] == "Inspected target navigated or closed" => Value::Null,
            Err(error) => panic!("{expression}: {error}"),
        }
    }

    /// `Err` while one page replaces another.
    fn try_evaluate(&mut self, expression: &str) -> Result<Value, Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.try_call("Runtime.evaluate", parameters)?;
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        Ok(result["result"]["value"].clone())
    }

    /// Returns the text of the element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let found = self.evaluate(&format!("document.querySelector({})?.innerText ?? ''", json!(selector)));
        found.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a condition holds in the page.
    pub(crate) fn until(&mut self, condition: &str) {
        let began = Instant::now();
        while self.try_evaluate(condition) != Ok(json!(true)) {
            if began.elapsed() > patiently(PATIENCE) {
                let page = self.text("body");
                panic!("not within {PATIENCE:?}: {condition}\n{:?}\n{page}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens another page of the server.
    pub(crate) fn go(&mut self, hash: &str) {
        self.evaluate(&format!("document.querySelector('main').replaceChildren(); location.hash = {}", json!(hash)));
        self.until("document.querySelector('main h1, main .error') !== null");
    }

    /// Sets the size of the window.
    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets whether the user prefers `light` or `dark`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "Backspace" => 8,
            "Tab" => 9,
            "Enter" => 13,
            " " => 32,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            letter if letter.len() == 1 => letter.to_ascii_uppercase().as_bytes()[0].into(),
            other => panic!("no code of {other}"),
        };
        let text = match key {
            "Enter" => "\r",
            " " => " ",
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Moves the mouse to a place of the window, and clicks there if requested.
    pub(crate) fn point(&mut self, (x, y): (f64, f64), clicks: bool) {
        let kinds: &[&str] = if clicks { &["mouseMoved", "mousePressed", "mouseReleased"] } else { &["mouseMoved"] };
        for kind in kinds {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Types a text.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Moves the focus by Tab until it is on the element that a selector finds.
    pub(crate) fn tab_to(&mut self, selector: &str) {
        for _ in 0..60 {
            self.press("Tab");
            if self.evaluate(&format!("document.activeElement.matches({})", json!(selector))) == true {
                return;
            }
        }
        panic!("Tab does not lead to {selector}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A test that failed may have lost its connection.
        let parameters = json!({ "browserContextId": self.context });
        let message = json!({ "id": 0, "method": "Target.disposeBrowserContext", "params": parameters });
        let _ = self.socket.send(Message::text(message.to_string()));
    }
}
