// The charts of a single-file report: the same as on the page of a run, with numbers stored in the file.

import { CaseCharts } from "./case_charts.js";
import { bar, el, table } from "./dom.js";

const { counts, fields, rows, solvers } = JSON.parse(document.getElementById("numbers").textContent);

/** Returns two numbers for each case that has both. If there are many cases, the file contains an even sample. */
function pointsOf(x, y) {
  const groups = solvers.map(({ solver, cases, numbers }) => {
    const [xs, ys] = [numbers[fields.indexOf(x)], numbers[fields.indexOf(y)]];
    const both = cases.map((_, at) => at).filter((at) => xs[at] !== null && ys[at] !== null);
    const of = (values) => both.map((at) => values[at]);
    return { solver, cases: of(cases), x: of(xs), y: of(ys) };
  });
  const known = solvers.reduce((sum, one) => sum + one.cases.length, 0);
  const drawn = groups.reduce((sum, group) => sum + group.x.length, 0);
  return { total: known < rows ? rows : drawn, solvers: groups };
}

/** Returns the frequency of each value of a number over all cases. */
function countsOf(x) {
  return counts[fields.indexOf(x)];
}

function sharesOfBest() {
  const known = solvers.filter((one) => one.relative !== null);
  const row = ({ solver, relative }) => [solver, bar(relative), `${(100 * relative).toFixed(1)} %`];
  const content = table(["solver", "", ""], ["words", "", "number"], known.map(row));
  return known.length ? el("figure", {}, el("figcaption", {}, "Share of the best scores"), content) : "";
}

const caseCharts = new CaseCharts({ fields, source: { points: pointsOf, counts: countsOf } });
document.getElementById("charts").append(caseCharts.box);
document.getElementById("shares").append(sharesOfBest());
caseCharts.draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => caseCharts.draw());
