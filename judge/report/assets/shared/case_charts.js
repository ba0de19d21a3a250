// Charts of the cases of a run: scatter plots of any two numbers, histograms, and box plots by feature.

import { boxes, figure, histogram, noChart, scatter } from "./charts.js";
import { AS_TYPED, choice, el } from "./dom.js";

/** The default axes. */
export const FIRST_AXES = { x: "cpu_ms", y: "score", of: "score", box: "score", by: "" };

/** Counts the lists of names, for their element ids. */
let lists = 0;

export class CaseCharts {
  /** `fields` are the names of numbers. `source.points(x, y)` returns two of them for each case, as the API does;
   * `source.counts(x)` returns value frequencies, and the optional `source.boxes(y, by)` returns boxes by feature.
   * With `hasFormulas`, axes may be formulas. The optional `chosen` is called with the case and solver names of a
   * clicked point, `brushed` with the axes and the selected ranges, and `changed` with the axes. */
  constructor({ fields, features = [], source, hasFormulas = false, chosen, brushed, changed = () => {}, axes = {} }) {
    Object.assign(this, { asked: new Map(), again: new Map(), fields, features, source, hasFormulas, chosen, brushed, changed, axes: { ...FIRST_AXES, by: features[0] ?? "", ...axes } });
    this.names = el("datalist", { id: `numbers-${++lists}` }, fields.map((name) => el("option", { value: name })));
    this.cloud = figure("Cases", this.pick("vertical", "y"), "against", this.pick("horizontal", "x"));
    this.counts = figure("How often", this.pick("number", "of"));
    this.boxed = source.boxes && features.length > 0 ? figure("By feature", this.pick("boxed number", "box"), "by", this.pick("feature", "by")) : undefined;
    this.box = el("div", { class: "charts" }, this.names, this.cloud.box, this.counts.box, this.boxed?.box);
    document.addEventListener("redraw", () => this.box.isConnected && this.redraw());
  }

  /** Returns the control for an axis: a list, or a text field that accepts a formula. */
  pick(label, axis) {
    const set = (text) => {
      if (!text.trim()) return;
      this.axes[axis] = text.trim();
      this.changed(this.axes);
      this.draw();
    };
    if (!this.hasFormulas) return choice(label, this.fields, this.axes[axis], set);
    return el("input", {
      "aria-label": label, title: "a number, or a formula such as score/N or log(N)", list: this.names.id, value: this.axes[axis], ...AS_TYPED,
      change: ({ target }) => set(target.value), focus: ({ target }) => target.select(),
    });
  }

  draw() {
    return Promise.all([this.drawCloud(), this.drawCounts(), this.boxed && this.drawBoxes()]);
  }

  /** Redraws the loaded data at once, in other colours. */
  redraw() {
    for (const again of this.again.values()) again();
  }

  /** Draws the requested content in a figure, unless another request came later: answers can overtake each other. `draw` returns
   * what draws the answer. */
  async show(place, answer, draw) {
    this.asked.set(place, answer);
    try {
      const again = draw(await answer);
      if (this.asked.get(place) !== answer) return;
      this.again.set(place, again);
      again();
    } catch (error) {
      if (this.asked.get(place) === answer) noChart(place, error);
    }
  }

  drawCloud() {
    const { axes: { x, y }, chosen, brushed, cloud } = this;
    return this.show(cloud, this.source.points(x, y), (points) => {
      const groups = points.solvers.map(({ solver, cases, x, y }) => ({ name: solver, names: cases, x, y }));
      const drawn = groups.reduce((sum, group) => sum + group.x.length, 0);
      const note = drawn < points.total ? `${drawn} of ${points.total} points` : "";
      return () => scatter(cloud, {
        groups, x, y, note, chosen: chosen && ((solver, at) => chosen(groups[solver].names[at], groups[solver].name)),
        brushed: brushed && ((xs, ys) => brushed([[x, xs], [y, ys]])),
      });
    });
  }

  drawCounts() {
    const { of } = this.axes;
    return this.show(this.counts, this.source.counts(of), ({ edges, solvers, logarithmic }) => {
      const groups = solvers.map(({ solver, counts }) => ({ name: solver, counts }));
      return () => histogram(this.counts, { edges: edges.map(Number), groups, isLog: logarithmic, x: of });
    });
  }

  drawBoxes() {
    const { box, by } = this.axes;
    return this.show(this.boxed, this.source.boxes(box, by), ({ solvers, groups }) => () => boxes(this.boxed, { names: solvers, groups, y: box, by }));
  }
}
