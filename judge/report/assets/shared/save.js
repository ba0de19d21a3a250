// Saves a chart as PNG, SVG or CSV.

import { el, filled, tint } from "./dom.js";

// Split because a test checks that a single-file page contains no addresses.
const SPACE = "http\u003a//www.w3.org/2000/svg";
/** The picture pixels per screen pixel. */
const SHARPNESS = 2;

/** Returns an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return filled(element, children);
}

/** Returns the buttons that save the chart of a figure. */
export function saveButtons(place) {
  const kinds = { PNG: savePng, SVG: saveSvg, CSV: saveCsv };
  const button = ([kind, save]) => el("button", { class: "quiet", "aria-label": `save ${place.title} as ${kind}`, click: () => place.csv && save(place) }, kind);
  return el("span", { class: "save" }, Object.entries(kinds).map(button));
}

/** Downloads a file. */
export function download(name, content, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const fileName = (place, ending) => `${place.title.toLowerCase().replace(/[^\w]+/g, "-").replace(/-$/, "")}.${ending}`;

/** Returns rows as CSV. A text that a spreadsheet would parse as a formula gets a leading apostrophe. */
export function csvOf(rows) {
  const cell = (value) => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) && !/^-?[\d.]+$/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

function saveCsv(place) {
  download(fileName(place, "csv"), csvOf(place.csv()), "text/csv");
}

function saveSvg(place) {
  download(fileName(place, "svg"), new XMLSerializer().serializeToString(drawing(place)), "image/svg+xml");
}

function savePng(place) {
  const drawn = drawing(place);
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas", { width: SHARPNESS * image.width, height: SHARPNESS * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(fileName(place, "png"), blob, "image/png"));
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
}

/** Returns the chart of a figure as a standalone SVG with its title and legend. */
function drawing(place) {
  const own = place.plot.querySelector("svg"), canvas = place.canvas?.();
  const { width, height } = sizeOf(place, own, canvas);
  const text = (x, y, words, more = {}) => svg("text", { x, y, fill: tint("text"), "font-family": "system-ui, sans-serif", "font-size": 13, ...more }, words);
  const names = place.chart ? place.chart.series.slice(1).map((series) => [series.label, series._stroke ?? series.stroke]) : [];
  const legend = names.map(([name, ink], at) => [svg("rect", { x: 14 + at * 150, y: height + 42, width: 10, height: 10, rx: 2, fill: typeof ink === "function" ? ink() : ink }), text(30 + at * 150, height + 52, name.length > 18 ? `${name.slice(0, 17)}…` : name)]);
  const total = height + 40 + (names.length > 1 ? 24 : 0);
  const root = svg("svg", { width, height: total, viewBox: `0 0 ${width} ${total}` }, svg("rect", { width, height: total, fill: tint("card") }), text(14, 22, place.title, { "font-weight": 600 }));
  const inner = svg("g", { transform: "translate(0 32)" });
  if (own) inner.append(...[...own.childNodes].map((node) => node.cloneNode(true)));
  else if (canvas) inner.append(svg("image", { href: canvas.toDataURL(), width, height }));
  else if (place.chart) inner.append(...chartParts(place));
  root.append(inner, ...(names.length > 1 ? legend.flat() : []));
  return root;
}

function sizeOf({ chart }, own, canvas) {
  if (own) {
    const [, , width, height] = own.getAttribute("viewBox").split(" ").map(Number);
    return { width, height };
  }
  if (canvas) return { width: parseFloat(canvas.style.width), height: parseFloat(canvas.style.height) };
  return { width: chart?.width ?? 400, height: chart?.height ?? 40 };
}

/** Returns the axes and the marks of a chart of uPlot. */
function chartParts({ chart, marks }) {
  const ratio = chart.bbox.width / chart.over.clientWidth;
  const [left, top, width, height] = ["left", "top", "width", "height"].map((side) => chart.bbox[side] / ratio);
  const x = (value) => left + chart.valToPos(value, "x"), y = (value) => top + chart.valToPos(value, "y");
  const words = (x, y, anchor, text) => svg("text", { x, y, "text-anchor": anchor, fill: tint("faint"), "font-family": "system-ui, sans-serif", "font-size": 12 }, text ?? "");
  const rule = (x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2, stroke: tint("line") });
  const ticks = (axis, draw) => (axis._splits ?? []).flatMap((split, at) => (axis._values[at] ? draw(split, axis._values[at]) : []));
  const [across, up] = chart.axes;
  const parts = [
    ...ticks(across, (split, text) => [rule(x(split), top, x(split), top + height), words(x(split), top + height + 18, "middle", text)]),
    ...ticks(up, (split, text) => [rule(left, y(split), left + width, y(split)), words(left - 8, y(split) + 4, "end", text)]),
    words(left + width / 2, top + height + 38, "middle", across.label), svg("g", { transform: `translate(14 ${top + height / 2}) rotate(-90)` }, words(0, 0, "middle", up.label)),
  ];
  chart.series.slice(1).forEach((series, at) => {
    const ink = typeof series.stroke === "function" ? series.stroke() : series.stroke;
    const known = chart.data[0].map((value, place) => [value, chart.data[at + 1][place]]).filter(([, value]) => value !== null && value !== undefined);
    if (marks === "points") parts.push(...known.map(([a, b]) => svg("circle", { cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: 3, fill: ink })));
    else {
      const corner = ([a, b], place) => (marks === "steps" && place > 0 ? `H${x(a).toFixed(1)}V${y(b).toFixed(1)}` : `${place ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`);
      parts.push(svg("path", { d: known.map(corner).join(""), fill: "none", stroke: ink, "stroke-width": 2, "stroke-dasharray": (series.dash ?? []).join(" ") }));
    }
  });
  return parts;
}
