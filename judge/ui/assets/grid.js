// Cases and runs as a map of heat: where a version wins and where it loses. Each cell is the share of the best score of its case.

import { get } from "./api.js";
import { color, colorsOf, figure, legendOf } from "./charts.js";
import { address, bar, choice, counted, cut, debounced, digits, el, failure, shown, table, visible } from "./dom.js";

/** The least height of a row of cells: all cases of a long list have a place, and few are large enough to hit. */
const LEAST = 2, MOST = 18;
/** The height of the map, before it scrolls. */
const TALL = 620;
const HEAD = 64, SIDE = 88;

export async function gridPage(place, _, at) {
  const page = new GridPage(place, at);
  await page.load();
}

class GridPage {
  constructor(place, at) {
    Object.assign(this, { at, runs: at.get("runs") ?? "", filter: at.get("filter") ?? "", sort: at.get("sort") ?? "", descending: at.has("descending") });
    this.input = el("input", { type: "text", value: this.filter, spellcheck: "false", autocapitalize: "off", placeholder: "N<10", input: debounced(() => this.change({ filter: this.input.value })) });
    this.order = el("label", {}, "Sorted by");
    this.turn = el("button", { type: "button", "aria-pressed": String(this.descending), click: () => this.reverse() }, "Reverse");
    this.wrong = el("div");
    this.board = el("div");
    this.map = figure("Share of the best score, case by case");
    this.canvas = el("canvas", { role: "img", mousemove: (event) => this.tell(event), mouseleave: () => this.hint(), click: (event) => this.open(event) });
    this.heat = el("div", { class: "heat", tabindex: "0", role: "region", "aria-label": "the map" }, this.canvas);
    this.map.plot.append(this.heat);
    this.map.canvas = this.canvas;
    this.map.csv = () => [["case", this.sort || "order", ...this.data.columns.map(({ key }) => key)], ...this.data.cases.map((name, row) => [name, this.data.keys[row] ?? row + 1, ...this.data.columns.map(({ relative }) => relative[row] ?? "")])];
    const scale = el("span", { class: "faint" }, "0 %", el("span", { class: "scale" }), "100 % of the best of these runs");
    place.append(el("h1", {}, "Runs side by side"), el("div", { class: "tools" }, el("label", { class: "wide" }, "Condition", this.input), this.order, this.turn), this.wrong, this.board,
      el("h2", {}, "Map of the cases"), scale, this.map.box);
    document.addEventListener("redraw", () => place.isConnected && this.data && this.draw());
    new ResizeObserver(() => this.data && this.draw()).observe(this.map.plot);
  }

  change(more) {
    Object.assign(this, more);
    return this.load();
  }

  reverse() {
    this.descending = !this.descending;
    this.turn.setAttribute("aria-pressed", String(this.descending));
    this.at.set({ descending: this.descending });
    this.flip();
    this.draw();
  }

  async load() {
    const { runs, filter, sort } = this;
    this.at.set({ filter, sort });
    try {
      this.data = await get("grid", { runs, filter, sort });
      this.wrong.replaceChildren();
    } catch (error) {
      this.wrong.replaceChildren(failure(error));
      this.data = undefined;
      this.board.replaceChildren();
      this.map.box.hidden = true;
      return;
    }
    this.map.box.hidden = false;
    if (this.descending) this.flip();
    this.showOrder();
    this.showBoard();
    this.draw();
  }

  /** Turns the order of the cases around. */
  flip() {
    const { data } = this;
    for (const list of [data.cases, data.keys, ...data.columns.flatMap(({ relative, codes }) => [relative, codes])]) list.reverse();
  }

  showOrder() {
    if (this.order.childElementCount > 0) return;
    const names = ["", ...this.data.features, "score", "relative", "cpu_ms"];
    if (this.sort && !names.includes(this.sort)) names.push(this.sort);
    this.order.append(choice("sorted by", names, this.sort, (sort) => this.change({ sort })));
  }

  /** A row for each solver; a solver against the first is one click away. */
  showBoard() {
    const { columns, total } = this.data;
    const [first] = columns;
    const row = (column, at) => [
      el("a", { href: address(`runs/${column.run}`) }, String(column.run)), el("span", {}, legendOf(column.solver).firstChild, cut(column.solver)), digits(column.known), digits(column.bests),
      bar(column.mean), column.mean === null ? "–" : `${(100 * column.mean).toFixed(1)} %`, at === 0 ? "" : el("a", { href: address("compare", { a: first.key, b: column.key }), "aria-label": `against the first: ${column.solver} of run ${column.run}` }, "against the first"),
    ];
    this.board.replaceChildren(table(["run", "solver", "cases", "best of", "mean share", "%", ""], ["number", "name", "number", "number", "spare-3", "number", "spare-2"], columns.map(row), "solvers"));
    this.map.hint.textContent = this.data.cases.length < total ? `${this.data.cases.length} of ${counted(total, "case")}, evenly chosen` : counted(total, "case");
    this.note = this.map.hint.textContent;
  }

  /** The places of the map. */
  layout() {
    const { columns, cases } = this.data;
    const wide = Math.max(320, this.map.plot.clientWidth - 4);
    const width = Math.max(14, Math.floor((wide - SIDE) / Math.max(1, columns.length)));
    const height = Math.max(LEAST, Math.min(MOST, Math.floor(TALL / Math.max(1, cases.length))));
    return { width, height };
  }

  draw() {
    const { columns, cases } = this.data;
    const { width, height } = this.layout();
    const [wide, tall] = [SIDE + width * columns.length, HEAD + height * cases.length];
    const { canvas } = this;
    // Browsers refuse a larger canvas.
    const ratio = Math.min(devicePixelRatio || 1, 16_000 / Math.max(wide, tall));
    canvas.width = wide * ratio;
    canvas.height = tall * ratio;
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${tall}px`;
    canvas.setAttribute("aria-label", `${counted(cases.length, "case")} of ${counted(columns.length, "solver")}: the table above has their means`);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    this.drawHeads(pen, width);
    const paint = heat();
    columns.forEach(({ relative, codes }, column) => {
      cases.forEach((_, row) => {
        const [x, y] = [SIDE + column * width, HEAD + row * height];
        const gap = height > 5 ? 1 : 0;
        pen.fillStyle = codes[row] === "" ? color("raised") : relative[row] === null ? color("heat-none") : paint(relative[row]);
        pen.fillRect(x, y, width - 1, height - gap);
        // A failure has a shape, too.
        if (codes[row] !== "" && relative[row] === null && height > 5) {
          pen.fillStyle = color("bad");
          pen.font = "10px system-ui";
          pen.fillText("✕", x + width / 2, y + height / 2);
        }
      });
    });
    this.drawSides(pen, height);
  }

  drawHeads(pen, width) {
    const { columns } = this.data;
    const names = [...new Set(columns.map(({ solver }) => solver))];
    const inks = colorsOf(names);
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    pen.font = "600 12px system-ui";
    columns.forEach(({ run, solver }, at) => {
      const x = SIDE + (at + 0.5) * width;
      pen.fillStyle = inks[names.indexOf(solver)];
      pen.fillRect(SIDE + at * width, HEAD - 6, width - 1, 4);
      pen.fillStyle = color("text");
      pen.fillText(`#${run}`, x, HEAD - 34, width);
      if (width > 40) {
        const most = Math.floor(width / 7);
        pen.fillStyle = color("faint");
        const name = visible(solver);
        pen.fillText(name.length > most ? `${name.slice(0, most - 1)}…` : name, x, HEAD - 17, width);
      }
    });
  }

  drawSides(pen, height) {
    const { cases, keys } = this.data;
    const every = Math.ceil(14 / height);
    pen.textAlign = "right";
    pen.font = "11px system-ui";
    pen.fillStyle = color("faint");
    for (let row = 0; row < cases.length; row += every) pen.fillText(keys[row] === null ? visible(cases[row]) : shown(keys[row]), SIDE - 8, HEAD + (row + 0.5) * height, SIDE - 12);
    if (this.sort) pen.fillText(visible(this.sort), SIDE - 8, HEAD - 17, SIDE - 12);
  }

  /** Returns the cell at the pointer. */
  cell(event) {
    const { width, height } = this.layout();
    const box = this.canvas.getBoundingClientRect();
    const [column, row] = [Math.floor((event.clientX - box.left - SIDE) / width), Math.floor((event.clientY - box.top - HEAD) / height)];
    const known = this.data.columns[column];
    return known && this.data.cases[row] !== undefined ? { known, row, name: this.data.cases[row] } : undefined;
  }

  tell(event) {
    const cell = this.cell(event);
    if (!cell) return this.hint();
    const { known, row, name } = cell;
    const share = known.relative[row];
    const key = this.sort && this.data.keys[row] !== null ? `, ${this.sort} ${shown(this.data.keys[row])}` : "";
    return this.hint(el("bdi", {}, `${name}${key}: ${known.solver} of run ${known.run}: `), share === null ? known.codes[row] || "no result" : `${(100 * share).toFixed(1)} %`);
  }

  hint(...words) {
    this.map.hint.replaceChildren(...(words.length ? words : [this.note ?? ""]));
  }

  open(event) {
    const cell = this.cell(event);
    if (cell) location.hash = address(`runs/${cell.known.run}`, { case: cell.name, entrant: cell.known.solver });
  }
}

/** Returns what gives the colour of a share: from the worst over the middle to the best. */
function heat() {
  const [low, middle, high] = ["heat-0", "heat-1", "heat-2"].map((name) => parse(color(name)));
  const mix = (one, other, part) => `rgb(${one.map((value, at) => Math.round(value + (other[at] - value) * part)).join(" ")})`;
  return (share) => (share < 0.5 ? mix(low, middle, share * 2) : mix(middle, high, share * 2 - 1));
}

const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
