// Charts of the cases of a run: any number against any other, and how often each value occurs.

import { figure, histogram, scatter } from "./charts.js";
import { choice, el, failure } from "./dom.js";

export class CaseCharts {
  /** `fields` are the names of numbers. `points(x, y)` returns two of them for each case, as the API does. `chosen`, if there is one,
   * is called with the names of the case and the solver of a point that is clicked. */
  constructor({ fields, points, chosen }) {
    Object.assign(this, { fields, points, chosen, axes: { x: "cpu_ms", y: "score", of: "score" } });
    this.box = el("div", { class: "charts" });
  }

  async draw() {
    const { axes, box, chosen, fields } = this;
    const pick = (label, axis) => choice(label, fields, axes[axis], (field) => {
      axes[axis] = field;
      this.draw();
    });
    const cloud = figure("Cases", pick("vertical", "y"), "against", pick("horizontal", "x"));
    const counts = figure("How often", pick("number", "of"));
    box.replaceChildren(cloud.box, counts.box);
    try {
      const points = await this.points(axes.x, axes.y);
      const groups = points.solvers.map(({ solver, cases, x, y }) => ({ name: solver, names: cases, x, y }));
      const drawn = groups.reduce((sum, group) => sum + group.x.length, 0);
      const note = drawn < points.total ? `${drawn} of ${points.total} points` : "";
      scatter(cloud, { groups, x: axes.x, y: axes.y, note, chosen: chosen && ((solver, at) => chosen(groups[solver].names[at], groups[solver].name)) });
      const numbers = await this.points(axes.of, axes.of);
      histogram(counts, { groups: numbers.solvers.map(({ solver, x }) => ({ name: solver, values: x })), x: axes.of });
    } catch (error) {
      box.replaceChildren(cloud.box, counts.box, failure(error));
    }
  }
}
