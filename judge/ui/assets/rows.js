// A table of any length. Only the visible rows are requested and drawn.

import { el } from "./dom.js";

const HEIGHT = 30;
const PAGE = 200;
/** The maximum number of rows to load ahead for printing. */
export const PRINTED = 1000;
/** The highest rank of optional columns. In less space they are hidden, lowest rank first. */
const RANKS = 6;
/** The number of extra rows above and below the visible ones. */
const MARGIN = 10;

/** Columns are `{ title, field, width, isNumber, spare, cell }`, with the width in rem. Columns with `spare` are hidden
 * in less space. `load(offset, limit)` returns `{ total, rows }`; `sorted` is called with the field of a clicked
 * title, `chosen` with a row and its index, `moved` with the index of the first visible row. */
export class Rows {
  constructor({ label, columns, load, sorted, chosen, moved = () => {} }) {
    Object.assign(this, { all: columns, load, sorted, chosen, moved, pages: new Map(), drawn: new Map(), total: 0, current: -1, version: 0 });
    this.head = el("div", { class: "row head", role: "row" });
    this.space = el("div", { class: "space", role: "rowgroup" });
    this.box = el("div", { class: "rows", role: "table", tabindex: "0", "aria-label": label }, el("div", { role: "rowgroup" }, this.head), this.space);
    this.fit();
    this.box.addEventListener("scroll", () => {
      this.schedule();
      clearTimeout(this.movedTimer);
      this.movedTimer = setTimeout(() => this.moved(Math.round(this.box.scrollTop / HEIGHT)), 200);
    }, { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.refit()).observe(this.box);
    document.addEventListener("redraw", () => this.box.isConnected && this.draw());
  }

  /** Chooses the columns that fit. Each row is its own grid, so columns have fixed widths to align, and the last takes
   * the rest. */
  fit() {
    const room = this.box.clientWidth / parseFloat(getComputedStyle(document.documentElement).fontSize) || Infinity;
    for (let rank = 0; rank <= RANKS; rank += 1) {
      this.columns = this.all.filter(({ spare = Infinity }) => spare > rank);
      if (this.columns.reduce((sum, column) => sum + column.width, 0) <= room) break;
    }
    const widths = this.columns.map((column) => column.width);
    const fixed = widths.slice(0, -1).map((width) => `${width}rem`).join(" ");
    this.box.style.setProperty("--columns", `${fixed} minmax(${widths.at(-1)}rem, 1fr)`);
    this.box.style.setProperty("--width", `${widths.reduce((sum, width) => sum + width, 0)}rem`);
  }

  refit() {
    const before = this.columns;
    this.fit();
    if (before.length === this.columns.length) {
      this.schedule();
      return;
    }
    for (const { element } of this.drawn.values()) element.remove();
    this.drawn.clear();
    if (this.order) this.drawHead();
    this.draw();
  }

  /** Drops the loaded rows and shows others. Returns their number. */
  async reset(order, keepsPlace = false) {
    this.version += 1;
    this.order = order;
    this.pages.clear();
    if (!keepsPlace) {
      this.current = -1;
      this.box.scrollTop = 0;
    }
    this.drawHead();
    const first = keepsPlace ? Math.floor(this.first() / PAGE) : 0;
    const version = this.version;
    const page = await this.load(first * PAGE, PAGE);
    if (version !== this.version) return this.total;
    this.pages.set(first, page.rows);
    this.total = page.total;
    this.space.style.height = `${this.total * HEIGHT}px`;
    this.box.setAttribute("aria-rowcount", this.total + 1);
    this.draw();
    this.loadAhead(version);
    return this.total;
  }

  /** Drops all rows. */
  clear() {
    this.version += 1;
    this.pages.clear();
    this.total = 0;
    this.space.style.height = "0";
    this.draw();
  }

  /** Loads the rows to print while idle. */
  loadAhead(version) {
    const pages = Math.ceil(Math.min(this.total, PRINTED) / PAGE);
    const next = Array.from({ length: pages }, (_, page) => page).find((page) => !this.pages.has(page));
    if (next === undefined) return;
    (window.requestIdleCallback ?? setTimeout)(async () => {
      if (version !== this.version || !this.box.isConnected) return;
      await this.fetch(next);
      if (this.pages.has(next)) this.loadAhead(version);
    });
  }

  /** Scrolls the row at an index to the top. */
  goTo(place) {
    this.box.scrollTop = place * HEIGHT;
  }

  drawHead() {
    const title = (column) => {
      const isOrder = this.order.field === column.field;
      const direction = isOrder ? (this.order.descending ? "descending" : "ascending") : "none";
      const mark = isOrder ? (this.order.descending ? " ▼" : " ▲") : "";
      const content = column.field ? el("button", { click: () => this.sorted(column.field) }, `${column.title}${mark}`) : column.title;
      return el("div", { class: `cell ${column.isNumber ? "number" : ""}`, role: "columnheader", "aria-sort": direction }, content);
    };
    const focused = [...this.head.children].findIndex((cell) => cell.contains(document.activeElement));
    this.head.replaceChildren(...this.columns.map(title));
    if (focused >= 0) this.head.children[focused].querySelector("button")?.focus({ preventScroll: true });
  }

  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.draw();
    });
  }

  /** Printing includes all loaded rows. */
  get isPrinted() {
    return document.documentElement.classList.contains("printed");
  }

  first() {
    if (this.isPrinted) return 0;
    return Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - MARGIN);
  }

  last() {
    if (this.isPrinted) return Math.min(this.total, PRINTED);
    return Math.min(this.total, this.first() + Math.ceil(this.box.clientHeight / HEIGHT) + 2 * MARGIN);
  }

  /** Draws the visible rows. Existing unchanged rows stay, so a slow scroll creates only a few per frame. */
  draw() {
    const [first, last] = [this.first(), this.last()];
    const isUp = (place, known) => place >= first && place < last && known.row === this.at(place) && known.isCurrent === (place === this.current);
    for (const [place, known] of this.drawn) {
      if (isUp(place, known)) continue;
      known.element.remove();
      this.drawn.delete(place);
    }
    let next = this.space.firstChild;
    for (let place = first; place < last; place += 1) {
      const known = this.drawn.get(place);
      if (known) {
        next = known.element.nextSibling;
        continue;
      }
      const row = this.at(place);
      const isCurrent = place === this.current;
      const element = this.row(place, row, isCurrent);
      this.drawn.set(place, { element, row, isCurrent });
      this.space.insertBefore(element, next);
    }
  }

  at(place) {
    const number = Math.floor(place / PAGE);
    const page = this.pages.get(number);
    if (page === undefined) this.want(number);
    return Array.isArray(page) ? page[place % PAGE] : undefined;
  }

  /** Requests a page of rows once scrolling pauses. Rows that are scrolled past are not requested. */
  want(number) {
    this.wanted = this.wanted ?? new Set();
    this.wanted.add(number);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const wanted = this.wanted;
      this.wanted = new Set();
      const [first, last] = [this.first(), this.last() - 1].map((place) => Math.floor(place / PAGE));
      for (const page of wanted) if (page >= first && page <= last && !this.pages.has(page)) this.fetch(page);
    }, 40);
  }

  async fetch(number) {
    const version = this.version;
    this.pages.set(number, "asked");
    try {
      const { rows } = await this.load(number * PAGE, PAGE);
      if (version !== this.version) return;
      this.pages.set(number, rows);
      this.schedule();
    } catch {
      // Scrolling to it again requests it again.
      this.pages.delete(number);
    }
  }

  /** Returns a row, or a placeholder for a row that is still loading. */
  row(place, row, isCurrent) {
    const cell = (column) => el("div", { class: `cell ${column.isNumber ? "number" : ""}`, role: "cell", title: column.tip?.(row) }, column.cell(row));
    const drawn = el("div", {
      class: `row body ${isCurrent ? "current" : ""}`, role: "row", "aria-rowindex": place + 2, "aria-current": isCurrent ? "true" : null,
      click: () => this.choose(place),
    }, row ? this.columns.map(cell) : el("div", { class: "cell", role: "cell" }, "…"));
    drawn.style.top = `${place * HEIGHT}px`;
    return drawn;
  }

  choose(place) {
    // Use the visible row, also while other rows are loading.
    const row = this.drawn.get(place)?.row ?? this.at(place);
    this.current = place;
    this.schedule();
    if (row) this.chosen(row, place);
  }

  key(event) {
    if (event.target !== this.box) return;
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.total, End: this.total };
    if (event.key === "Enter" && this.current >= 0) this.choose(this.current);
    else if (event.key in steps) this.current = Math.min(this.total - 1, Math.max(0, this.current + steps[event.key]));
    else return;
    event.preventDefault();
    const top = this.current * HEIGHT;
    const seen = this.box.clientHeight - 2 * HEIGHT;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top > this.box.scrollTop + seen) this.box.scrollTop = top - seen;
    this.schedule();
  }
}
