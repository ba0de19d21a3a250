// A board on which moves are chosen, with keys, a mouse or a finger. It knows no rules: the choices that the server offers
// say which cells stand for them.

import { motionOf } from "./board.js";
import { BoardView, Sprites } from "./boardview.js";
import { el } from "./dom.js";

/** Smaller cells are not hit with a finger: of a larger board, a part is shown. */
const LEAST = 24;
/** A pointer that has moved further has dragged, and not clicked. */
const DRAGGED = 8;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class PlayBoard {
  /** `aimed` is called with the choice that is aimed at, if there is one, and the text of its cell; `played` with the one that
   * is played. */
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

  /** Shows a board on which nothing can be chosen yet. What has moved since the one before takes so many milliseconds. */
  show(state, looks, marks, duration = 0) {
    this.motion = duration > 0 && this.state ? { moved: motionOf(this.before(looks), state, this.marks), duration } : undefined;
    if (this.looks !== looks) this.view.sprites = new Sprites(looks);
    Object.assign(this, { state, looks, marks });
    this.setChoices([]);
    this.motion = undefined;
  }

  /** Returns the board that is shown in the looks of another: each answer of the server has looks of its own. */
  before(looks) {
    const same = this.looks.map(([text, color]) => looks.findIndex((look) => look[0] === text && look[1] === color));
    return { ...this.state, board: this.state.board.map((look) => same[look]) };
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
    const aimed = new Map(placed?.map(([cell, look]) => [cell, this.lookOf(look)]) ?? choice?.cells.map((cell) => [cell, undefined]));
    const isFocused = document.activeElement === this.canvas && this.choices.length > 0;
    this.view.show(this.state, { marks: this.marks, aimed, cursor: isFocused && !placed ? this.cursor : -1, ...this.motion });
    if (this.view.zoom === null && this.view.fitting() < LEAST) {
      this.view.zoom = LEAST;
      this.view.draw();
    }
    this.drawn = { columns: this.view.columns, size: this.view.size };
  }

  /** Returns the place of a look in the palette. */
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
    // A finger does not hover: the first touch aims, and the second one plays.
    this.isMeant = event.button === 0 && (event.pointerType !== "touch" || before === this.choice());
  }

  click({ clientX, clientY }) {
    const [x, y] = this.pressed ?? [clientX, clientY];
    if (this.isMeant && Math.hypot(clientX - x, clientY - y) < DRAGGED) this.play();
  }
}
