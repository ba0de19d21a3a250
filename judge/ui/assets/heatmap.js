// A heat map with a row for each case and a column for each solver. Only the visible part is drawn, so it may have any
// size.

import { colorsOf } from "./charts.js";
import { counted, el, grouped, tint, visible } from "./dom.js";

/** The minimum and maximum height of a row. A long list shows all its cases, and a short one has rows large enough to
 * click. */
const LEAST = 2, MOST = 18;
/** The minimum width of a column, and the space for a run number. */
const NARROW = 14, NUMBER = 34;
/** The height of the visible cells: at most this, and this share of the window. */
const TALL = 620, SHARE = 0.7;
/** The space for the names of columns and rows. */
const HEAD = 46, SIDE = 88;
/** The space for the lower half of the last name. */
const BELOW = 4;
/** At this height or more, a cell has a gap and a sign. */
const LARGE = 6;
/** The browser limit for picture sizes. */
const MAX_SIDE = 16_000;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class HeatMap {
  /** `opened` is called with the solver and row of a chosen cell, and `aimed` with those of the current cell, or with
   * nothing. `at` is the initial current cell, as row and column: `12.3`. */
  constructor({ opened, aimed, at }) {
    Object.assign(this, { opened, aimed });
    [this.row, this.column] = (at ?? "0.0").split(".").map((place) => Number(place) || 0);
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.space = el("div", { class: "space" }, this.canvas);
    // Describes the current cell for screen readers.
    this.heading = el("span", { role: "columnheader" });
    this.name = el("span", { role: "rowheader", "aria-colindex": 1 });
    this.cell = el("span", { role: "gridcell", id: "cell" });
    const unseen = el("div", { class: "unseen" }, el("div", { role: "row", "aria-rowindex": 1 }, this.heading), this.line = el("div", { role: "row" }, this.name, this.cell));
    this.box = el("div", {
      class: "heat", role: "grid", tabindex: "0", "aria-label": "share of the best score", "aria-activedescendant": "cell", "aria-readonly": "true",
      scroll: () => this.schedule(), keydown: (event) => this.key(event), focus: () => this.aim(), blur: () => this.leave(),
      pointermove: (event) => this.point(event), pointerleave: () => this.leave(), click: (event) => this.click(event),
    }, this.space, unseen);
    new ResizeObserver(() => this.data && this.layout()).observe(this.box);
  }

  /** Shows cases and solvers. `sort` names the number shown beside each case. */
  show(data, sort) {
    Object.assign(this, { data, sort });
    this.box.setAttribute("aria-rowcount", data.cases.length + 1);
    this.box.setAttribute("aria-colcount", data.columns.length + 1);
    this.layout();
    this.go(this.column, this.row);
  }

  /** Chooses the cell size from the available space. */
  layout() {
    const { columns, cases } = this.data;
    const wide = Math.max(320, this.box.parentElement.clientWidth - 4);
    this.width = Math.max(NARROW, Math.floor((wide - SIDE) / Math.max(1, columns.length)));
    this.height = Math.max(LEAST, Math.min(MOST, Math.floor(Math.min(TALL, SHARE * innerHeight) / Math.max(1, cases.length))));
    this.size = [SIDE + this.width * columns.length, HEAD + this.height * cases.length + BELOW];
    Object.assign(this.space.style, { width: `${this.size[0]}px`, height: `${this.size[1]}px` });
    this.draw();
  }

  schedule() {
    cancelAnimationFrame(this.next);
    this.next = requestAnimationFrame(() => this.draw());
  }

  /** Draws the visible part. */
  draw() {
    const { box, canvas, size } = this, ratio = Math.min(devicePixelRatio || 1, MAX_SIDE / Math.max(...size));
    // In print, all of it is visible.
    const isPrinted = document.documentElement.classList.contains("printed");
    const [wide, high] = isPrinted ? size : [Math.min(size[0], box.clientWidth), Math.min(size[1], box.clientHeight)];
    const pen = penOf(canvas, [wide, high], ratio);
    this.paint(pen, [box.scrollLeft, box.scrollTop], [wide, high]);
    if (document.activeElement === box) this.frame(pen);
  }

  /** Returns a picture of the entire map. */
  picture() {
    const canvas = el("canvas"), { size } = this;
    this.paint(penOf(canvas, size, Math.min(2, MAX_SIDE / Math.max(...size))), [0, 0], size);
    return canvas;
  }

  /** Draws a part with the given origin and size. The names of rows and columns stay visible. */
  paint(pen, [left, top], [wide, high]) {
    const { width, height, data: { columns, cases } } = this;
    const seen = (start, room, step, count) => [Math.floor(start / step), Math.min(count, Math.ceil((start + room) / step))];
    const across = seen(left, wide - SIDE, width, columns.length), down = seen(top, high - HEAD, height, cases.length);
    pen.textBaseline = "middle";
    pen.save();
    clip(pen, SIDE, HEAD, wide - SIDE, high - HEAD);
    const paint = heat(), [none, failed, ink] = ["raised", "heat-none", "bad"].map(tint);
    pen.textAlign = "center";
    pen.font = "10px system-ui";
    for (let column = across[0]; column < across[1]; column++) {
      const { relative, codes } = columns[column], x = SIDE + column * width - left;
      for (let row = down[0]; row < down[1]; row++) {
        const y = HEAD + row * height - top, isFailed = codes[row] !== "" && relative[row] === null;
        pen.fillStyle = codes[row] === "" ? none : isFailed ? failed : paint(relative[row]);
        pen.fillRect(x, y, width - 1, height - (height >= LARGE ? 1 : 0));
        // A failure also has a shape.
        if (!isFailed || height < LARGE) continue;
        pen.fillStyle = ink;
        pen.fillText("✕", x + width / 2, y + height / 2);
      }
    }
    pen.restore();
    this.paintHeads(pen, across, left, wide);
    this.paintSides(pen, down, top, high);
  }

  paintHeads(pen, [first, end], left, wide) {
    const { width, data: { columns } } = this;
    const names = [...new Set(columns.map(({ solver }) => solver))], inks = colorsOf(names), every = Math.ceil(NUMBER / width);
    pen.save();
    clip(pen, SIDE, 0, wide - SIDE, HEAD);
    pen.textAlign = "center";
    for (let at = first; at < end; at++) {
      const { run, solver } = columns[at], x = SIDE + at * width - left;
      pen.fillStyle = inks[names.indexOf(solver)];
      pen.fillRect(x, HEAD - 6, width - 1, 4);
      if (at % every > 0) continue;
      pen.font = "600 12px system-ui";
      pen.fillStyle = tint("text");
      pen.fillText(`#${run}`, x + width / 2, HEAD - 34, width * every);
      if (width <= 40) continue;
      const most = Math.floor(width / 7), name = visible(solver);
      pen.font = "12px system-ui";
      pen.fillStyle = tint("faint");
      pen.fillText(name.length > most ? `${name.slice(0, most - 1)}…` : name, x + width / 2, HEAD - 17, width);
    }
    pen.restore();
  }

  paintSides(pen, [first, end], top, high) {
    const { height, data: { cases, keys } } = this, every = Math.ceil(14 / height);
    pen.save();
    pen.textAlign = "right";
    pen.font = "11px system-ui";
    pen.fillStyle = tint("faint");
    if (this.sort) pen.fillText(visible(this.sort), SIDE - 8, HEAD - 17, SIDE - 12);
    clip(pen, 0, HEAD - BELOW, SIDE, high - HEAD + BELOW);
    for (let row = Math.ceil(first / every) * every; row < end; row += every) pen.fillText(keys[row] === null ? visible(cases[row]) : grouped(keys[row]), SIDE - 8, HEAD + (row + 0.5) * height - top, SIDE - 12);
    pen.restore();
  }

  /** Draws a frame around the current cell. */
  frame(pen) {
    const { box, width, height, row, column } = this;
    const [x, y] = [SIDE + column * width - box.scrollLeft, HEAD + row * height - box.scrollTop];
    for (const [ink, line] of [["paper", 5], ["mark", 2.5]]) {
      pen.strokeStyle = tint(ink);
      pen.lineWidth = line;
      pen.strokeRect(x - 1, y - 1, width + 1, Math.max(height, LARGE) + 1);
    }
  }

  /** Selects a cell as the current one and scrolls it into view. */
  go(column, row) {
    const { box, width, height, data: { columns, cases } } = this;
    [this.column, this.row] = [Math.max(0, Math.min(columns.length - 1, column)), Math.max(0, Math.min(cases.length - 1, row))];
    const into = (scroll, room, start, step) => Math.max(start + step - room, Math.min(scroll, start));
    box.scrollLeft = into(box.scrollLeft, box.clientWidth - SIDE, this.column * width, width);
    box.scrollTop = into(box.scrollTop, box.clientHeight - HEAD - BELOW, this.row * height, height);
    this.draw();
    this.tell();
  }

  /** Announces the current cell. */
  tell() {
    const known = this.data.columns[this.column], name = this.data.cases[this.row];
    if (!known || name === undefined) return;
    const { relative, codes, solver, run } = known;
    this.line.setAttribute("aria-rowindex", this.row + 2);
    for (const part of [this.cell, this.heading]) part.setAttribute("aria-colindex", this.column + 2);
    this.heading.textContent = visible(`${solver} of run ${run}`);
    this.name.textContent = visible(name);
    this.cell.textContent = visible(`${name}, ${solver} of run ${run}: ${wordsOf(relative[this.row], codes[this.row])}`);
  }

  /** Opens the current cell. */
  aim() {
    this.draw();
    const known = this.data?.columns[this.column];
    if (known) this.aimed(known, this.row);
  }

  leave() {
    if (!this.data) return;
    if (document.activeElement === this.box) this.aim();
    else {
      this.draw();
      this.aimed();
    }
  }

  key(event) {
    const { column, row, data } = this;
    if (!data || event.altKey || event.metaKey) return;
    const [lastColumn, lastRow] = [data.columns.length - 1, data.cases.length - 1];
    const page = Math.max(1, Math.floor((this.box.clientHeight - HEAD) / this.height) - 1), [right, down] = STEPS[event.key] ?? [0, 0];
    const to = {
      Home: [0, event.ctrlKey ? 0 : row], End: [lastColumn, event.ctrlKey ? lastRow : row], PageUp: [column, row - page], PageDown: [column, row + page],
    }[event.key] ?? (STEPS[event.key] && [column + right, row + down]);
    if (to) {
      this.go(...to);
      this.aim();
    } else if (event.key === "Enter" || event.key === " ") this.open(column, row);
    else return;
    event.preventDefault();
  }

  /** Returns the column and the row at the pointer. */
  at({ clientX, clientY }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - left - SIDE, clientY - top - HEAD];
    if (x < 0 || y < 0) return [-1, -1];
    return [Math.floor((x + this.box.scrollLeft) / this.width), Math.floor((y + this.box.scrollTop) / this.height)];
  }

  point(event) {
    if (!this.data) return;
    const [column, row] = this.at(event), known = this.data.columns[column];
    if (known && this.data.cases[row] !== undefined) this.aimed(known, row);
    else this.leave();
  }

  click(event) {
    if (this.data) this.open(...this.at(event));
  }

  open(column, row) {
    const known = this.data.columns[column];
    if (!known || this.data.cases[row] === undefined) return;
    [this.column, this.row] = [column, row];
    this.opened(known, row, `${row}.${column}`);
  }
}

/** Sizes a canvas, and returns its pen. */
function penOf(canvas, [wide, high], ratio) {
  Object.assign(canvas, { width: Math.round(wide * ratio), height: Math.round(high * ratio) });
  Object.assign(canvas.style, { width: `${wide}px`, height: `${high}px` });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return pen;
}

/** Draws only inside this rectangle from now on. */
function clip(pen, ...rectangle) {
  pen.beginPath();
  pen.rect(...rectangle);
  pen.clip();
}

/** Returns a share as text, or why it is missing. */
export function wordsOf(share, code) {
  return share === null ? code || "no result" : `${(100 * share).toFixed(1)} %`;
}

/** Returns the accessible name of a map with this many cells. */
export function sizeOf({ cases, columns }) {
  return `${counted(cases.length, "case")} of ${counted(columns.length, "solver")}`;
}

/** Returns a function that maps a share to a colour, interpolated from worst over middle to best. */
function heat() {
  const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const [low, middle, high] = ["heat-0", "heat-1", "heat-2"].map((name) => parse(tint(name)));
  const mix = (one, other, part) => `rgb(${one.map((value, at) => Math.round(value + (other[at] - value) * part)).join(" ")})`;
  return (share) => (share < 0.5 ? mix(low, middle, share * 2) : mix(middle, high, share * 2 - 1));
}
