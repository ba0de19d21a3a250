// Elements, made without markup: whatever comes from a solver is text.

/** Returns an element. Of its attributes, functions are listeners; its children are elements and texts. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Returns a number as it is read. Numbers that are too long for a script's are texts already. */
export function shown(number) {
  if (number === undefined || number === null) return "–";
  if (typeof number === "string" || Number.isInteger(number)) return String(number);
  return Math.abs(number) >= 1000 ? number.toFixed(1) : String(Number(number.toPrecision(4)));
}

/** Returns a time in words. */
export function time(milliseconds) {
  if (milliseconds === undefined || milliseconds === null) return "–";
  if (milliseconds < 1000) return `${shown(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 90) return `${shown(milliseconds / 1000)} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** Returns a size in words. */
export function size(bytes) {
  return bytes === undefined ? "–" : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Returns a verdict's short code, as words for those who do not see its colour. */
export function verdict(code, name) {
  return el("span", { class: `code ${code === "AC" ? "good" : "bad"}`, title: name }, code);
}

/** Returns a bar of a share between 0 and 1. */
export function bar(share) {
  const fill = el("span");
  fill.style.width = `${100 * (share ?? 0)}%`;
  const label = share === undefined || share === null ? "unknown" : `${(100 * share).toFixed(1)} %`;
  return el("div", { class: "bar", role: "img", "aria-label": label, title: label }, fill);
}

/** Returns a table: titles, a class for each column, and rows of cells. */
export function table(titles, classes, rows) {
  const head = titles.map((title, column) => el("th", { scope: "col", class: classes[column] }, title));
  const row = (cells) => el("tr", {}, cells.map((cell, column) => el("td", { class: classes[column] }, cell)));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows.map(row))));
}

/** Returns the box that shows an error. */
export function failure(error) {
  const hints = (error.hints ?? []).map((hint) => `\nhint: ${hint}`).join("");
  return el("div", { class: "error", role: "alert" }, `${error.message}${hints}`);
}

/** Returns a function that runs `what` once the calls have paused. */
export function debounced(what, pause = 250) {
  let timer;
  return (...words) => {
    clearTimeout(timer);
    timer = setTimeout(() => what(...words), pause);
  };
}

/** Returns a box with a choice of names. */
export function choice(label, names, chosen, changed) {
  const options = names.map((name) => el("option", { value: name, selected: name === chosen }, name === "" ? "–" : name));
  return el("select", { "aria-label": label, change: (event) => changed(event.target.value) }, options);
}

/** Returns the link of an address of this page. */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const words = new URLSearchParams(given).toString();
  return `#/${path}${words && `?${words}`}`;
}
