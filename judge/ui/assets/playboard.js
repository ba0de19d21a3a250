// A board to choose moves on, with keys, mouse or touch. It does not contain the rules: the server's choices say which
// cells represent them.

import { motionOf } from "./board.js";
import { BoardView, Sprites } from "./boardview.js";
import { el } from "./dom.js";

/** The minimum cell size for touch. Of a larger board only a part is shown. */
const LEAST = 24;
/** A pointer that moves further than this drags instead of clicking. */
const DRAGGED = 8;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class PlayBoard {
  /** `aimed` is called with the selected choice, if any, and the text of its cell; `played` with the played choice. */
  constructor({ label, aimed, played }) {
    Object.assign(this, { aimed, played, cursor: 0, turn: 0, choices: [], at: new Map(), marks: new Set() });
    this.view = new BoardView([], {
      tabindex: "0", role: "application", "aria-label": label, "aria-describedby": "aim",
      focus: () => this.draw(), blur: () => this.draw(),
      pointermove: (event) => this.point(event), pointerdown: (event) => this.press(event), click: (event) => this.click(event),
      contextmenu: (event) => { event.preventDefault(); this.turnBy(1); },
    });
    this.canvas = this.view.canvas;
    this.box = el("div", { class: "board" }, this.view.box);
  }

  /** Shows a board without choices for now. The motion since the previous board takes this many milliseconds. */
  show(state, looks, marks, duration = 0) {
    this.motion = duration > 0 && this.state ? { moved: motionOf(this.before(looks), state, this.marks), duration } : undefined;
    if (this.looks !== looks) this.view.sprites = new Sprites(looks);
    Object.assign(this, { state, looks, marks });
    this.setChoices([]);
    this.motion = undefined;
  }

  /** Converts the shown board to the looks of another, because each server response has its own looks. */
  before(looks) {
    const same = this.looks.map(([text, color]) => looks.findIndex((look) => look[0] === text && look[1] === color));
    return { ...this.state, board: this.state.board.map((look) => same[look]) };
  }

  /** Offers these moves. */
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

  /** Returns the selected choice. A cell may represent several. */
  choice() {
    const here = this.at.get(this.cursor) ?? [];
    return here[this.turn % here.length];
  }

  aim(cursor = this.cursor, turn = this.turn) {
    Object.assign(this, { cursor, turn });
    this.draw();
    this.aimed(this.choice(), this.looks[this.state.board[cursor]]?.[0]);
  }

  /** Selects a choice. */
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
    const aimed = new Map(placed?.map(([cell, look]) => [cell, this.lookOf(look)]) ?? choice?.cells.map((cell) => [cell, undefined]));
    const isFocused = document.activeElement === this.canvas && this.choices.length > 0;
    this.view.show(this.state, { marks: this.marks, aimed, cursor: isFocused && !placed ? this.cursor : -1, ...this.motion });
    if (this.view.zoom === null && this.view.fitting() < LEAST) {
      this.view.zoom = LEAST;
      this.view.draw();
    }
    this.drawn = { columns: this.view.columns, size: this.view.size };
  }

  /** Returns the index of a look in the palette. */
  lookOf([text, color]) {
    const place = this.looks.findIndex((look) => look[0] === text && look[1] === color);
    return place < 0 ? this.looks.push([text, color]) - 1 : place;
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
    // If the same cells represent several choices, up and down switch between them.
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

  /** Selects the choice at the pointer: among several, one whose cells are nearest. */
  point(event) {
    if (!this.drawn || this.choices.length === 0) return;
    const { columns } = this.drawn, [x, y] = this.view.cellAt(event);
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
    this.pressed = [event.clientX, event.clientY];
    // Touch has no hover: the first touch selects, and the second one plays.
    this.isMeant = event.button === 0 && (event.pointerType !== "touch" || before === this.choice());
  }

  click({ clientX, clientY }) {
    const [x, y] = this.pressed ?? [clientX, clientY];
    if (this.isMeant && Math.hypot(clientX - x, clientY - y) < DRAGGED) this.play();
  }
}
