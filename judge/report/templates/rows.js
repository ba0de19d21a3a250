// There are too many rows to draw. Only the visible ones are drawn, again after each scroll.
const HEIGHT = 29, LARGEST = 8e6, view = document.getElementById("window"), space = document.getElementById("space");
const drawn = document.getElementById("cases"), body = drawn.tBodies[0], place = document.getElementById("place");
const [common, ...rows] = document.getElementById("rows").textContent.trimEnd().split("\n");
const [solvers, verdicts] = JSON.parse(common), verdictNames = new Map(verdicts);
const hasSolvers = {{ has_solvers }}, figures = {{ titles.len() }};
let order = Uint32Array.from(rows, (_, index) => index);

function cellsOf(row) {
  const [code, name, solver, ...rest] = JSON.parse(row);
  const [noisy, note, texts, ...commands] = rest.slice(figures);
  return { code, name, solver: solvers[solver], figures: rest.slice(0, figures), noisy, note, texts, commands };
}
function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
function drawRow(row) {
  const cells = cellsOf(row), line = element("tr", undefined, cells.code === "AC" ? "good" : "bad");
  line.append(element("td", cells.name, "word"));
  if (hasSolvers) line.append(element("td", cells.solver, "word"));
  const verdict = element("td"), short = element("abbr", cells.code);
  short.title = verdictNames.get(cells.code);
  verdict.append(short);
  line.append(verdict, ...cells.figures.map((figure) => element("td", figure)));
  const note = element("td", cells.noisy ? "noisy" : "", "word");
  if (cells.note !== undefined) {
    const details = element("details");
    const texts = cells.texts.map((text) => element("pre", text)), commands = cells.commands.map((text) => element("code", text));
    details.append(element("summary", cells.note), ...texts, ...commands);
    note.append(details);
  }
  line.append(note);
  return line;
}
function draw() {
  const fitting = Math.ceil(view.clientHeight / HEIGHT), most = Math.max(0, order.length - fitting + 2);
  const reach = Math.max(1, space.clientHeight - view.clientHeight);
  const first = Math.min(most, Math.round(most * view.scrollTop / reach));
  drawn.style.top = `${view.scrollTop}px`;
  body.replaceChildren(...Array.from(order.subarray(first, first + fitting), (index) => drawRow(rows[index])));
  place.textContent = order.length ? `rows ${first + 1} to ${Math.min(first + fitting, order.length)} of ${order.length}` : "no rows";
}
function show(shown) {
  order = shown;
  space.style.height = `${Math.min(LARGEST, (order.length + 2) * HEIGHT)}px`;
  draw();
}
let sorted = order;
function filtered() {
  const failed = document.getElementById("failures").checked;
  show(failed ? sorted.filter((index) => !rows[index].startsWith('["AC"')) : sorted);
}
view.addEventListener("scroll", () => requestAnimationFrame(draw));
window.addEventListener("resize", draw);
document.getElementById("failures").addEventListener("change", filtered);
drawn.querySelectorAll("th").forEach((title, column, titles) => title.addEventListener("click", () => {
  const down = title.getAttribute("aria-sort") === "ascending", sign = down ? -1 : 1;
  titles.forEach((other) => other.removeAttribute("aria-sort"));
  title.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keys = rows.map((row) => {
    const cells = cellsOf(row), words = hasSolvers ? [cells.name, cells.solver, cells.code] : [cells.name, cells.code];
    return keyOf([...words, ...cells.figures, cells.note ?? (cells.noisy ? "noisy" : "")][column]);
  });
  sorted = sorted.slice().sort((left, right) => sign * compareKeys(keys[left], keys[right]));
  filtered();
}));
filtered();
