// Asks the API, and hears of what happens.

/** Scores may be longer than a script's numbers: these stay texts, digit by digit. */
function exact(_, value, context) {
  const isLong = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLong && context?.source ? context.source : value;
}

/** Returns the document at a path below /api. An error has the hints of the judge. */
export async function get(path, query = {}) {
  const response = await ask(path, query);
  return JSON.parse(await response.text(), exact);
}

/** Returns the text at a path below /api. */
export async function text(path, query = {}) {
  return (await ask(path, query)).text();
}

/** Sends a document to a path below /api, and returns the answer. */
export async function post(path, body = {}) {
  return JSON.parse(await postForText(path, body), exact);
}

/** Sends a document to a path below /api, and returns the text that is the answer. */
export async function postForText(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await ask(path, {}, { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}

let asked;
/** Returns what the server lets this page do. */
export function server() {
  asked ??= get("server").catch((error) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

async function ask(path, query, how = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const words = new URLSearchParams(given).toString();
  let response;
  try {
    response = await fetch(`/api/${path}${words && `?${words}`}`, { credentials: "same-origin", ...how });
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

/** Calls `heard` with each event, and `linked` with whether the server is there, until it is told to stop. A page that is
 * not looked at takes up no connection. */
export function listen(heard, linked) {
  let source;
  const open = () => {
    source = new EventSource("/api/events");
    source.onopen = () => linked(true);
    source.onerror = () => linked(false);
    for (const name of ["progress", "runs"]) {
      source.addEventListener(name, (event) => heard(name, JSON.parse(event.data, exact)));
    }
  };
  const look = () => {
    source?.close();
    source = undefined;
    if (document.visibilityState === "visible") {
      open();
      heard("runs", {});
    }
  };
  document.addEventListener("visibilitychange", look);
  open();
}

/** Returns a path of words that may hold any sign. */
export function path(...words) {
  return words.map(encodeURIComponent).join("/");
}
