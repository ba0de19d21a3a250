// The cases of a run: filtered, sorted, and one of them in full.

import { get, path, text } from "./api.js";
import { bar, choice, debounced, el, failure, shown, size, time, verdict } from "./dom.js";
import { replayOf } from "./replays.js";
import { Rows } from "./rows.js";

const NUMBER = 7;

export class Cases {
  /** `changed` is called when another condition is set. */
  constructor(head, query, changed) {
    Object.assign(this, { head, changed, filter: query.get("filter") ?? "", solver: query.get("solver") ?? "" });
    this.order = { field: query.get("sort") ?? "case", descending: query.has("descending") };
    this.wanted = query.get("case");
    this.input = el("input", { type: "text", value: this.filter, spellcheck: "false", autocapitalize: "off", placeholder: "score<1000 && verdict!=AC", input: debounced(() => this.filtered(this.input.value)) });
    this.solvers = choice("solver", ["", ...head.solvers.map((solver) => solver.name)], this.solver, (name) => this.chooseSolver(name));
    const failures = el("button", { type: "button", click: () => this.showFailures("") }, "Failures");
    const all = el("button", { type: "button", click: () => this.filtered("") }, "All");
    this.tools = el("div", { class: "tools" }, el("label", { class: "wide" }, "Condition", this.input), head.solvers.length > 1 ? el("label", {}, "Solver", this.solvers) : "", failures, all);
    this.count = el("p", { class: "faint", role: "status" });
    this.detail = el("div", { "aria-live": "polite" });
    this.rows = new Rows({
      label: "cases", columns: this.columns(), sorted: (field) => this.sort(field), chosen: (row) => this.show(row),
      load: (offset, limit) => this.page({ offset, limit }),
    });
    this.box = el("div", {}, this.count, this.rows.box, this.detail);
  }

  columns() {
    const { head } = this;
    const hasPoints = !["sum", "mean"].includes(head.scoring.rule);
    const feature = (name) => ({ title: name, field: name, width: 5, isNumber: true, cell: (row) => shown(row.features?.[name]) });
    const metrics = head.fields.filter((field) => field.startsWith("metric:")).map((field) => field.slice("metric:".length));
    const metric = (name) => ({ title: name, field: `metric:${name}`, width: 5, isNumber: true, cell: (row) => shown(row.metrics?.[name]) });
    return [
      { title: "case", field: "case", width: 9, cell: (row) => row.case },
      head.solvers.length > 1 && { title: "solver", field: "solver", width: 12, cell: (row) => row.solver },
      { title: "verdict", field: "verdict", width: 6, cell: (row) => verdict(row.code, row.verdict) },
      { title: "score", field: "score", width: NUMBER, isNumber: true, cell: (row) => shown(row.score) },
      hasPoints && { title: "points", field: "points", width: NUMBER, isNumber: true, cell: (row) => shown(row.points) },
      { title: "of the best", field: "relative", width: 8, cell: (row) => bar(row.relative) },
      { title: "CPU", field: "cpu_ms", width: NUMBER, isNumber: true, cell: (row) => time(row.cpu_ms) },
      { title: "memory", field: "memory_bytes", width: NUMBER, isNumber: true, cell: (row) => size(row.memory_bytes) },
      ...metrics.slice(0, 4).map(metric),
      ...head.features.slice(0, 4).map(feature),
      { title: "note", width: 18, cell: (row) => row.note ?? "" },
    ].filter(Boolean);
  }

  page(more) {
    const { filter, solver, order } = this;
    return get(path("runs", this.head.run, "cases"), { filter, solver, sort: order.field, descending: order.descending ? "true" : "", ...more });
  }

  async load(keepsPlace = false) {
    try {
      const total = await this.rows.reset(this.order, keepsPlace);
      this.count.textContent = total === 1 ? "1 row" : `${total} rows`;
      this.input.removeAttribute("aria-invalid");
      if (this.wanted) await this.open(this.wanted, this.solver || this.head.solvers[0].name);
      this.wanted = null;
    } catch (error) {
      this.input.setAttribute("aria-invalid", "true");
      this.count.replaceChildren(failure(error));
    }
  }

  async filtered(condition) {
    this.filter = this.input.value = condition;
    await this.load();
    this.changed();
  }

  async showFailures(solver) {
    this.order = { field: "verdict", descending: true };
    this.solver = this.solvers.value = solver;
    await this.filtered("verdict!=AC");
  }

  chooseSolver(name) {
    this.solver = name;
    this.load();
  }

  sort(field) {
    const isSame = this.order.field === field;
    this.order = { field, descending: isSame && !this.order.descending };
    this.load();
  }

  /** Shows a case by its name. */
  async open(name, solver) {
    const place = await this.find(name, solver);
    if (place) this.show(place);
  }

  async find(name, solver) {
    const filter = this.filter;
    for (let offset = 0; ; offset += 1000) {
      const { rows, total } = await get(path("runs", this.head.run, "cases"), { filter, solver, offset, limit: 1000 });
      const found = rows.find((row) => row.case === name);
      if (found || offset + 1000 >= total) return found;
    }
  }

  show(row) {
    const part = (title, content) => (content ? [el("h4", {}, title), el("pre", {}, content)] : []);
    const copied = el("span", { role: "status", class: "faint" });
    const copy = el("button", {
      type: "button",
      click: async () => {
        await navigator.clipboard.writeText(row.reproduce);
        copied.textContent = "copied";
      },
    }, "Copy");
    const answer = el("div");
    const read = el("button", { type: "button", click: () => this.readAnswer(row, answer) }, "Show the answer");
    const hasMoves = this.head.replays && ["AC", "WA"].includes(row.code);
    const replay = hasMoves ? el("a", { class: "button", href: replayOf(`run:${this.head.run}/${row.solver}`, row.case) }, "Replay") : "";
    const rule = row.rule ? ` (${[row.line && `line ${row.line}`, row.move && `move ${row.move}`, row.rule].filter(Boolean).join(", ")})` : "";
    const features = Object.entries(row.features ?? {}).map(([name, value]) => `${name} ${shown(value)}`).join(", ");
    this.detail.replaceChildren(el("section", { class: "detail" },
      el("h3", {}, `${row.case}, ${row.solver}: ${row.verdict}`, row.score === undefined ? "" : ` ${shown(row.score)}`),
      row.note ? el("p", {}, `${row.note}${rule}`) : "", features ? el("p", { class: "faint" }, features) : "",
      part("Standard error", row.stderr), el("h4", {}, "The command that reproduces it"), el("pre", {}, row.reproduce),
      el("div", { class: "tools" }, copy, copied, read, replay), answer));
    this.detail.scrollIntoView({ block: "nearest" });
  }

  async readAnswer(row, place) {
    try {
      place.replaceChildren(el("pre", {}, await text(path("runs", this.head.run, "cases", row.case, "answer"), { solver: row.solver })));
    } catch (error) {
      place.replaceChildren(failure(error));
    }
  }
}
