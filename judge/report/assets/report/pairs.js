// The charts of a single-file comparison: the same as on its page, with numbers stored in the file.

import { el } from "./dom.js";
import { PairCharts } from "./pair_charts.js";

const { measure, comparisons } = JSON.parse(document.getElementById("numbers").textContent);
const place = document.getElementById("charts");

const drawn = comparisons.map(({ first, second, cases, names, effects, a, b, looks }) => {
  const pairs = names.map((name, at) => ({ name, effect: effects[at], a: a[at], b: b[at] }));
  const note = names.length < cases ? `${names.length} of ${cases} points` : "";
  const charts = new PairCharts({ measure, first, second, pairs, looks, note });
  if (comparisons.length > 1) place.append(el("h2", {}, `${second} against ${first}`));
  place.append(charts.box);
  return charts;
});
const drawAll = () => drawn.forEach((charts) => charts.draw());
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
