// Sends requests to the API and receives its events.

import { el, filled, parsed, queryOf } from "./dom.js";

/** Whether the page has no server and reads its data from files. */
export const isStatic = false;

/** Returns the document at a path below /api. Errors contain the judge's hints. */
export async function get(path, query = {}) {
  return parsed(await text(path, query));
}

/** Returns the first part of a game, with what brings the others in `rest`. */
export async function game(run, name, solver) {
  const parts = documents((await ask(path("runs", run, "cases", name, "replay"), { solver, lines: 1 })).body.getReader());
  return { ...(await parts.next()).value, rest: parts };
}

/** Returns the documents of an answer that has one in each line, as they come. */
async function* documents(reader) {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let { value, done } = await reader.read(); !done; ({ value, done } = await reader.read())) {
      const lines = (text + decoder.decode(value, { stream: true })).split("\n");
      text = lines.pop();
      yield* lines.map((line) => JSON.parse(line));
    }
  } finally {
    // A page that leaves asks for no more.
    reader.cancel().catch(() => {});
  }
}

/** Returns the text at a path below /api. */
export async function text(path, query = {}) {
  return (await ask(path, query)).text();
}

/** Sends a document to a path below /api, and returns the answer. */
export async function post(path, body = {}) {
  return parsed(await postForText(path, body));
}

/** Sends a document to a path below /api, and returns the response as text. */
export async function postForText(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await ask(path, {}, { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}

let asked;
/** Returns what the server allows this page to do. */
export function server() {
  asked ??= get("server").catch((error) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

/** Returns an element with a command that is to be pasted, with the catalogue and the journal of the server. */
export function command(line) {
  const shown = el("code", {}, line);
  server().then(({ flags }) => filled(shown, [flags && ` ${flags}`])).catch(() => {});
  return shown;
}

async function ask(path, query, how = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}${queryOf(query)}`, { credentials: "same-origin", ...how });
  } catch {
    throw new Error("the server does not answer: `judge ui` has ended");
  }
  if (response.ok) return response;
  const body = await response.text();
  let told;
  try {
    told = JSON.parse(body);
  } catch {
    throw new Error(body.trim());
  }
  throw Object.assign(new Error(told.error), { hints: told.hints });
}

/** The time between attempts to reconnect to a stopped server. */
const AGAIN = 3000;

/** Calls `heard` with each event, and `linked` with whether the server is reachable and, if not, why. All tabs share
 * one stream, because a browser allows six connections per server and each stream uses one. The tab that holds the
 * lock reads the stream and forwards events to the others. A hidden tab neither holds the lock nor receives events. */
export function listen(heard, linked) {
  const others = new BroadcastChannel("judge events");
  let leave = () => {};
  const tell = (name, data) => {
    if (name === "link") linked(data.isThere, data.why);
    else heard(name, data);
  };
  const spread = (name, data) => {
    tell(name, data);
    others.postMessage([name, data]);
  };
  others.onmessage = ({ data: [name, data] }) => {
    if (document.visibilityState === "visible") tell(name, data);
  };
  const join = () => {
    const gone = new AbortController();
    leave = () => gone.abort();
    linked(true);
    heard("runs", {});
    navigator.locks.request("judge events", { signal: gone.signal }, () => stream(spread, gone.signal)).catch(() => {});
  };
  document.addEventListener("visibilitychange", () => {
    leave();
    if (document.visibilityState === "visible") join();
  });
  if (document.visibilityState === "visible") join();
}

/** Keeps the event stream open until told to stop. */
function stream(spread, stopped) {
  return new Promise((done) => {
    let source, timer;
    const open = () => {
      source = new EventSource("/api/events");
      source.onopen = () => spread("link", { isThere: true });
      source.onerror = async () => {
        const why = await get("server").then(() => undefined, (error) => error.message);
        spread("link", { isThere: false, why });
        // A browser does not reconnect after a response that is not a stream.
        if (source.readyState === EventSource.CLOSED && !stopped.aborted) timer = setTimeout(open, AGAIN);
      };
      for (const name of ["progress", "runs"]) {
        source.addEventListener(name, (event) => spread(name, parsed(event.data)));
      }
    };
    stopped.addEventListener("abort", () => {
      clearTimeout(timer);
      source.close();
      done();
    });
    open();
  });
}

/** Returns a path of segments that may contain any character. */
export function path(...words) {
  return words.map(encodeURIComponent).join("/");
}
