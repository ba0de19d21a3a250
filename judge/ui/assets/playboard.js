// A board on which moves are chosen, with keys, a mouse or a finger. It knows no rules: the choices that the server offers
// say which cells stand for them.

import { el } from "./dom.js";

/** Smaller cells are not hit with a finger; the board then scrolls. */
const LEAST = 24;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class PlayBoard {
  /** `aimed` is called with the choice that is aimed at, if there is one, and the text of its cell; `played` with the one that
   * is played. */
  constructor({ label, aimed, played }) {
    Object.assign(this, { aimed, played, cursor: 0, turn: 0, choices: [], at: new Map(), marks: new Set() });
    this.canvas = el("canvas", {
      tabindex: "0", role: "application", "aria-label": label, "aria-describedby": "aim",
      keydown: (event) => this.key(event), focus: () => this.draw(), blur: () => this.draw(),
      pointermove: (event) => this.point(event), pointerdown: (event) => this.press(event), click: () => this.click(),
      contextmenu: (event) => { event.preventDefault(); this.turnBy(1); },
    });
    this.box = el("div", { class: "board" }, this.canvas);
    const observer = new ResizeObserver(() => (this.box.isConnected ? this.draw() : observer.disconnect()));
    observer.observe(this.box);
  }

  /** Shows a board on which nothing can be chosen yet. */
  show(state, looks, marks) {
    Object.assign(this, { state, looks, marks });
    this.setChoices([]);
  }

  /** Lets one of these moves be chosen. */
  offer(choices) {
    this.marks = new Set();
    this.setChoices(choices);
    this.cursor = Math.min(this.cursor, Math.max(0, this.state.board.length - 1));
    if (choices.length > 0 && !this.at.has(this.cursor)) this.cursor = choices[0].cells[0];
    this.aim();
  }

  setChoices(choices) {
    this.choices = choices;
    this.at = new Map();
    for (const choice of choices) {
      for (const cell of choice.cells) this.at.set(cell, [...(this.at.get(cell) ?? []), choice]);
    }
    this.draw();
  }

  /** Returns the choice that is aimed at: a cell may stand for several. */
  choice() {
    const here = this.at.get(this.cursor) ?? [];
    return here[this.turn % here.length];
  }

  aim(cursor = this.cursor, turn = this.turn) {
    Object.assign(this, { cursor, turn });
    this.draw();
    this.aimed(this.choice(), this.looks[this.state.board[cursor]]?.[0]);
  }

  /** Aims at a choice. */
  aimAt(choice) {
    const [cell] = choice.cells;
    this.aim(cell, this.at.get(cell).indexOf(choice));
  }

  turnBy(steps) {
    const count = this.at.get(this.cursor)?.length ?? 1;
    this.aim(this.cursor, (this.turn + steps + count) % count);
  }

  play(choice = this.choice()) {
    if (choice) this.played(choice);
  }

  draw() {
    if (!this.state) return;
    const choice = this.choice(), placed = choice?.placed;
    const aimed = new Map(placed ?? choice?.cells.map((cell) => [cell, undefined]));
    const marks = new Set(this.marks);
    if (document.activeElement === this.canvas && this.choices.length > 0 && !placed) marks.add(this.cursor);
    const [room, height] = [this.box.clientWidth || 300, Math.max(320, innerHeight - 380)];
    this.drawn = drawBoard(this.canvas, this.state, this.looks, { marks, aimed, room, height, least: LEAST });
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.state) return;
    const step = STEPS[event.key];
    if (step) {
      event.preventDefault();
      this.step(step, event.shiftKey);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.play();
    } else if (event.key === "r") {
      this.turnBy(1);
    }
  }

  step([right, down], isPlayed) {
    const { columns } = this.drawn;
    const here = this.at.get(this.cursor) ?? [];
    // Where the same cells stand for several choices, up and down go from one to the next.
    if (!isPlayed && down !== 0 && here.length > 1 && here.every(({ cells }) => String(cells) === String(here[0].cells))) {
      this.turnBy(down);
      return;
    }
    const x = (this.cursor % columns) + right, y = Math.floor(this.cursor / columns) + down;
    if (x < 0 || x >= columns || y < 0 || y * columns + x >= this.state.board.length) return;
    const to = y * columns + x;
    if (!isPlayed) {
      this.aim(to);
      return;
    }
    const shared = here.filter((choice) => this.at.get(to)?.includes(choice));
    if (shared.length === 1) this.play(shared[0]);
  }

  /** Aims at the choice at the pointer: of several, at one whose cells are nearest. */
  point(event) {
    if (!this.drawn || this.choices.length === 0) return;
    const { columns, size } = this.drawn;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / size, (event.clientY - box.top) / size];
    const cell = Math.floor(y) * columns + Math.floor(x);
    if (x < 0 || x >= columns || y < 0 || cell >= this.state.board.length) return;
    const here = this.at.get(cell) ?? [];
    const middle = (sum, count) => sum / count + 0.5;
    const far = ({ cells }) => Math.hypot(
      middle(cells.reduce((sum, place) => sum + (place % columns), 0), cells.length) - x,
      middle(cells.reduce((sum, place) => sum + Math.floor(place / columns), 0), cells.length) - y);
    const distances = here.map(far), least = Math.min(...distances);
    const turn = distances[this.turn % here.length] === least ? this.turn : Math.max(0, distances.indexOf(least));
    if (cell !== this.cursor || turn !== this.turn) this.aim(cell, turn);
  }

  press(event) {
    const before = this.choice();
    this.point(event);
    // A finger does not hover: the first touch aims, and the second one plays.
    this.isMeant = event.button === 0 && (event.pointerType !== "touch" || before === this.choice());
  }

  click() {
    if (this.isMeant) this.play();
  }
}
