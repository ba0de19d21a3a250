// The cases of a run, filtered and sorted, with one shown in full.

import { get, isStatic, path, text } from "./api.js";
import { AS_TYPED, attempt, bar, choice, counted, cut, debounced, digits, el, empty, failure, size, terms, time, verdict } from "./dom.js";
import { replayOf } from "./replays.js";
import { PRINTED, Rows } from "./rows.js";
import { download } from "./save.js";

const NUMBER = 7;
const FAILURES = "verdict!=AC";

export class Cases {
  /** `at` is the address of the page; `changed` is called with whether a new condition is valid. */
  constructor(head, at, changed) {
    Object.assign(this, { head, at, changed, filter: at.get("filter") ?? "", solver: at.get("solver") ?? "" });
    this.order = { field: at.get("sort") ?? "case", descending: at.has("descending") };
    this.wanted = at.get("case");
    this.input = el("input", {
      value: this.filter, ...AS_TYPED, placeholder: `score/${head.features[0] ?? 2}<1000 && verdict!=AC`, "aria-describedby": "wrong",
      input: debounced(() => this.filtered(this.input.value)),
    });
    this.solvers = choice("solver", ["", ...head.solvers.map((solver) => solver.name)], this.solver, (name) => this.chooseSolver(name));
    const failures = el("button", { click: () => this.showFailures("") }, "Failures");
    const all = el("button", { click: () => this.filtered("") }, "All");
    this.tools = el("div", { class: "tools" }, el("label", { class: "wide" }, "Condition", this.input), head.solvers.length > 1 ? el("label", {}, "Solver", this.solvers) : "", failures, all);
    this.wrong = el("div", { id: "wrong" });
    this.count = el("p", { class: "faint", role: "status" });
    this.none = el("div");
    this.detail = el("div", { class: "panel", "aria-live": "polite" });
    this.rows = new Rows({
      label: "cases", columns: this.columns(), sorted: (field) => this.sort(field), chosen: (row) => this.show(row),
      load: (offset, limit) => this.page({ offset, limit }), moved: (row) => at.set({ row: row || "" }),
    });
    this.box = el("div", { class: "aside" }, el("div", {}, this.count, this.rows.box, this.none), this.detail);
  }

  columns() {
    const { head } = this;
    const { rule } = head.scoring, hasPoints = !["sum", "mean"].includes(rule), isRelative = rule === "relative";
    const feature = (name, at) => ({ title: name, field: name, width: 5, isNumber: true, spare: at < 2 ? 2 : 1, cell: (row) => digits(row.features?.[name]) });
    const metrics = head.fields.filter((field) => field.startsWith("metric:"));
    const metric = (field) => {
      const name = field.slice("metric:".length);
      return { title: name, field, width: 5, isNumber: true, spare: 2, cell: (row) => digits(row.metrics?.[name]) };
    };
    return [
      { title: "case", field: "case", width: 7, cell: (row) => row.case, tip: (row) => row.case },
      head.solvers.length > 1 && { title: "solver", field: "solver", width: 8, spare: 6, cell: (row) => row.solver, tip: (row) => row.solver },
      { title: "verdict", field: "verdict", width: 5.5, cell: (row) => verdict(row.code, row.verdict) },
      { title: "score", field: "score", width: NUMBER, isNumber: true, cell: (row) => digits(row.score) },
      hasPoints && { title: "points", field: "points", width: NUMBER, isNumber: true, spare: 5, cell: ({ points }) => digits(isRelative ? points?.toFixed?.(1) ?? points : points) },
      { title: "of the best", field: "relative", width: 7.5, spare: 5, cell: (row) => bar(row.relative) },
      { title: "CPU", field: "cpu_ms", width: 6, isNumber: true, spare: 4, cell: (row) => time(row.cpu_ms) },
      { title: "memory", field: "memory_bytes", width: 6, isNumber: true, spare: 1, cell: (row) => size(row.memory_bytes) },
      ...metrics.slice(0, 4).map(metric),
      ...head.features.slice(0, 4).map(feature),
      { title: "note", width: 12, spare: 3, cell: (row) => row.note ?? "", tip: (row) => row.note },
    ].filter(Boolean);
  }

  page(more) {
    const { filter, solver, order } = this;
    return get(path("runs", this.head.run, "cases"), { filter, solver, sort: order.field, descending: order.descending ? "true" : "", ...more });
  }

  /** Shows the rows that match the condition. Returns whether the condition is valid. */
  async load(keepsPlace = false) {
    const { filter, solver, order } = this;
    this.at.set({ filter, solver, sort: order.field === "case" ? "" : order.field, descending: order.descending });
    try {
      const total = await this.rows.reset(this.order, keepsPlace);
      this.wrong.replaceChildren();
      this.input.removeAttribute("aria-invalid");
      const paper = total > PRINTED ? el("span", { class: "paper" }, `, of which the first ${PRINTED} are on paper`) : "";
      this.count.replaceChildren(counted(total, "row"), paper);
      this.showEmpty(total);
      if (this.wanted) await this.openFirst();
      return true;
    } catch (error) {
      // Rows of the previous condition would look like matches of this one.
      this.rows.clear();
      this.rows.box.hidden = true;
      this.none.replaceChildren();
      this.count.textContent = "";
      this.input.setAttribute("aria-invalid", "true");
      this.wrong.replaceChildren(failure(error));
      return false;
    }
  }

  /** Opens the case in the address, at the position in the address. */
  async openFirst() {
    const [name, row] = [this.wanted, Number(this.at.get("row") ?? 0)];
    this.wanted = null;
    this.rows.goTo(row);
    await this.open(name, this.at.get("entrant") ?? (this.solver || this.head.solvers[0].name), false);
  }

  showEmpty(total) {
    this.rows.box.hidden = total === 0;
    const all = el("p", {}, el("button", { click: () => this.filtered("") }, "Show all cases"));
    const isFailures = this.filter.trim() === FAILURES;
    this.none.replaceChildren(total > 0 ? "" : this.filter === "" ? empty("No case is finished yet", "Cases appear here as soon as a solver has finished them.")
      : isFailures ? empty("No failures", "Every answer is accepted.", "", all) : empty("No case matches", "The condition holds for none of the cases.", "", all));
  }

  async filtered(condition) {
    this.filter = this.input.value = condition;
    this.changed(await this.load());
  }

  /** Narrows the condition to the cases within ranges, given as pairs of a formula and its bounds. */
  brush(ranges) {
    const plain = (value) => value.toLocaleString("en", { useGrouping: false, maximumSignificantDigits: 6 });
    const parts = ranges.flatMap(([formula, [low, high]]) => [`${formula}>=${plain(low)}`, `${formula}<=${plain(high)}`]);
    const before = this.filter.trim();
    return this.filtered([before && (before.includes("||") ? `(${before})` : before), ...parts].filter(Boolean).join(" && "));
  }

  async showFailures(solver) {
    this.order = { field: "verdict", descending: true };
    this.solver = this.solvers.value = solver;
    await this.filtered(FAILURES);
  }

  chooseSolver(name) {
    this.solver = name;
    return this.load();
  }

  sort(field) {
    const isSame = this.order.field === field;
    this.order = { field, descending: isSame && !this.order.descending };
    return this.load();
  }

  /** Shows a case by its name. */
  async open(name, solver, scrolls = true) {
    const found = await this.find(name, solver);
    if (!found) return;
    this.rows.current = found.place;
    this.rows.schedule();
    this.show(found.row, scrolls);
  }

  /** Returns a row and its index among the shown rows, or -1 if it is not shown. */
  async find(name, solver) {
    const { filter, order: { field, descending }, solver: chosen } = this;
    const among = async (query) => {
      for (let offset = 0; ; offset += 1000) {
        const { rows, total } = await get(path("runs", this.head.run, "cases"), { ...query, offset, limit: 1000 });
        const at = rows.findIndex((row) => row.case === name && row.solver === solver);
        if (at >= 0) return { row: rows[at], place: offset + at };
        if (offset + 1000 >= total) return undefined;
      }
    };
    const here = await among({ filter, solver: chosen, sort: field, descending: descending ? "true" : "" });
    if (here) return here;
    const elsewhere = await among({ solver });
    return elsewhere && { ...elsewhere, place: -1 };
  }

  close() {
    this.at.set({ case: "", entrant: "" });
    this.detail.replaceChildren();
    this.box.classList.remove("open");
    this.rows.current = -1;
    this.rows.schedule();
    this.rows.box.focus({ preventScroll: true });
  }

  show(row, scrolls = true) {
    const { head } = this;
    this.at.set({ case: row.case, entrant: row.solver });
    const part = (title, content) => (content ? [el("h4", {}, title), el("pre", { tabindex: "0" }, content)] : []);
    const copied = el("span", { role: "status", class: "faint" });
    const copy = el("button", {
      click: async () => {
        await navigator.clipboard.writeText(row.reproduce);
        copied.textContent = "copied";
      },
    }, "Copy");
    const answer = el("div");
    const read = row.answer && !isStatic ? el("button", { click: () => this.readAnswer(row, answer) }, "Show the answer") : "";
    const hasMoves = head.replays && row.answer && ["AC", "WA"].includes(row.code);
    const replay = hasMoves ? el("a", { class: "button main", href: replayOf(`run:${head.run}/${row.solver}`, row.case) }, "Replay") : "";
    const rule = row.rule && !row.note?.includes(row.rule) ? ` (${[row.line && `line ${row.line}`, row.move && `move ${row.move}`, row.rule].filter(Boolean).join(", ")})` : "";
    const facts = [
      ["score", row.score === undefined ? undefined : digits(row.score)], ["of the best", row.relative === undefined ? undefined : `${(100 * row.relative).toFixed(1)} %`],
      ["CPU time", time(row.cpu_ms)], ["time on the clock", time(row.wall_ms)], ["memory", size(row.memory_bytes)],
      ...Object.entries({ ...row.features, ...row.metrics }).map(([name, value]) => [name, digits(value)]),
    ];
    this.box.classList.add("open");
    this.detail.replaceChildren(el("section", { class: "detail" }, el("button", { class: "quiet", click: () => this.close() }, "Close"),
      el("h3", {}, el("bdi", {}, row.case), ", ", cut(row.solver), ": ", row.verdict), el("p", {}, verdict(row.code, row.verdict), " ", row.note ? `${row.note}${rule}` : ""),
      el("dl", { class: "facts" }, terms(facts.filter(([, value]) => value !== undefined))),
      part("Standard error", row.stderr), part("The command that reproduces it", row.reproduce),
      el("div", { class: "tools" }, replay, row.reproduce ? copy : null, el("a", { class: "button", href: `#/${path("problems", head.problem, "cases", row.case)}` }, "In all runs"), read, copied), answer));
    if (scrolls) this.detail.scrollIntoView({ block: "nearest" });
  }

  readAnswer(row, place) {
    return attempt(place, async () => {
      const answer = await text(path("runs", this.head.run, "cases", row.case, "answer"), { solver: row.solver });
      const name = `${row.case}.out`;
      place.replaceChildren(el("pre", { tabindex: "0" }, answer), el("button", { class: "quiet", click: () => download(name, answer, "text/plain") }, `Download ${name}`));
    });
  }
}
