// A heat map of cases and runs that shows where a version wins and loses. Each cell is a score's share of the best on
// its case.

import { get } from "./api.js";
import { figure, legendOf } from "./charts.js";
import { AS_TYPED, address, bar, choice, counted, cut, debounced, digits, el, failure, shown, table } from "./dom.js";
import { HeatMap, sizeOf, wordsOf } from "./heatmap.js";

export async function gridPage(place, _, at) {
  const page = new GridPage(place, at);
  await page.load();
}

class GridPage {
  constructor(place, at) {
    Object.assign(this, { at, runs: at.get("runs") ?? "", filter: at.get("filter") ?? "", sort: at.get("sort") ?? "", descending: at.has("descending") });
    this.input = el("input", { value: this.filter, ...AS_TYPED, placeholder: "N<10", input: debounced(() => this.change({ filter: this.input.value })) });
    this.order = el("label", { hidden: true }, "Sorted by");
    this.turn = el("button", { "aria-pressed": String(this.descending), click: () => this.reverse() }, "Reverse");
    this.wrong = el("div");
    this.board = el("div");
    this.map = figure("Share of the best score, case by case");
    this.heat = new HeatMap({ at: at.get("cell"), aimed: (column, row) => this.tell(column, row), opened: (column, row, cell) => this.open(column, row, cell) });
    this.map.plot.append(this.heat.box);
    this.map.canvas = () => this.heat.picture();
    this.map.csv = () => [["case", this.sort || "order", ...this.data.columns.map(({ key }) => key)], ...this.data.cases.map((name, row) => [name, this.data.keys[row] ?? row + 1, ...this.data.columns.map(({ relative }) => relative[row] ?? "")])];
    this.scale = el("p", { class: "faint" }, "0 %", el("span", { class: "scale" }), "100 % of the best of these runs · ✕ not accepted");
    place.append(el("h1", {}, "Runs side by side"), el("div", { class: "tools" }, el("label", { class: "wide" }, "Condition", this.input), this.order, this.turn), this.wrong, this.board, this.scale, this.map.box);
    this.scale.hidden = this.map.box.hidden = true;
    document.addEventListener("redraw", () => place.isConnected && this.data && this.draw());
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
      this.scale.hidden = this.map.box.hidden = true;
      return;
    }
    this.scale.hidden = this.map.box.hidden = this.order.hidden = false;
    if (this.descending) this.flip();
    this.showOrder();
    this.showBoard();
    this.draw();
  }

  /** Reverses the order of the cases. */
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

  /** A row for each solver, with a link that compares it with the first. */
  showBoard() {
    const { columns, total } = this.data;
    const [first] = columns;
    const row = (column, at) => [
      el("a", { href: address(`runs/${column.run}`) }, String(column.run)), el("span", {}, legendOf(column.solver).firstChild, cut(column.solver)), digits(column.known), digits(column.bests),
      bar(column.mean), column.mean === null ? "–" : `${(100 * column.mean).toFixed(1)} %`, at === 0 ? "" : el("a", { href: address("compare", { a: first.key, b: column.key }), "aria-label": `against the first: ${column.solver} of run ${column.run}` }, "against the first"),
    ];
    this.board.replaceChildren(table(["run", "solver", "cases", "best of", "mean share", "%", ""], ["number", "name", "number", "number", "spare-3", "number", "spare-2"], columns.map(row), "solvers"));
    this.note = sizeOf(this.data) + (this.data.cases.length < total ? `: of ${counted(total, "case")}, evenly chosen` : "");
    this.map.hint.textContent = this.note;
  }

  draw() {
    this.heat.show(this.data, this.sort);
  }

  tell(column, row) {
    if (!column) {
      this.map.hint.textContent = this.note;
      return;
    }
    const { cases, keys } = this.data;
    const key = this.sort && keys[row] !== null ? `, ${this.sort} ${shown(keys[row])}` : "";
    this.map.hint.replaceChildren(el("bdi", {}, `${cases[row]}${key}: ${column.solver} of run ${column.run}: `), wordsOf(column.relative[row], column.codes[row]), " · a click or Enter opens it");
  }

  open({ run, solver }, row, cell) {
    this.at.set({ cell });
    location.hash = address(`runs/${run}`, { case: this.data.cases[row], entrant: solver });
  }
}
