// A game of columns for a page without a server. Its frames are computed from the pieces and moves. A checksum of the
// judge's own frames verifies that they are the same.

const POINTS = 47;
/** The number of upcoming pieces that are shown. */
const SHOWN = 10;
const MAGIC = "***";
const DIRECTIONS = [[0, 1], [1, -1], [1, 0], [1, 1]];

/** Returns the game as the server's document. */
export function playedColumns({ width, height, pieces, moves, sum, ...rest }) {
  const game = new Columns(width, height, pieces.match(/.{3}/g) ?? []);
  game.play(moves);
  const { captions, cells, frames, queue } = game.record;
  const replay = { captions, cells, frames, queue };
  if (sumOf(JSON.stringify(replay)) !== sum) throw new Error("this game was written by another version of the judge");
  return { ...rest, ...replay };
}

/** Returns the FNV-1a hash of a text's bytes. */
function sumOf(text) {
  return new TextEncoder().encode(text).reduce((sum, byte) => Math.imul(sum ^ byte, 16777619) >>> 0, 2166136261);
}

class Columns {
  constructor(width, height, pieces) {
    Object.assign(this, { width, height, pieces, step: 0, total: 0, record: new Recorder(width) });
    /** The jewels of each column, from the bottom. */
    this.stacks = Array.from({ length: width }, () => []);
  }

  play(moves) {
    this.show("the playfield is empty", []);
    for (const move of moves) {
      const code = move.charCodeAt(0) - 48;
      this.step += 1;
      if (!this.place(this.pieces[this.step - 1], Math.floor(code / 3), code % 3)) return;
    }
  }

  /** Places a piece. Returns whether it fits. */
  place(piece, column, shifts) {
    const stack = this.stacks[column], name = `column ${column + 1}`;
    if (stack.length + 3 > this.height) {
      this.show(`${piece} does not fit in ${name}: the game is over`, []);
      return false;
    }
    if (piece === MAGIC) this.placeMagic(stack, column, name);
    else {
      const jewels = piece.slice(shifts) + piece.slice(0, shifts);
      stack.push(...jewels);
      this.show(`${jewels} lands in ${name}`, this.top(column));
    }
    for (let combo = 1; ; combo++) {
      const { count, cells } = this.matches();
      if (count === 0) return true;
      this.show(`${count} match${count === 1 ? "" : "es"}, combo ${combo}`, cells, POINTS * combo * count);
      this.settle(cells);
    }
  }

  placeMagic(stack, column, name) {
    const jewel = stack.at(-1);
    stack.push(...MAGIC);
    this.show(`${MAGIC} lands in ${name}, on ${jewel ?? "the floor: nothing is cleared"}`, this.top(column));
    stack.length -= 3;
    if (jewel === undefined) return;
    const cells = this.stacks.flatMap((stack, x) => [...stack.keys()].filter((y) => stack[y] === jewel).map((y) => this.at(x, y)));
    this.show(`magic clears ${cells.length} × ${jewel}`, cells, POINTS * cells.length);
    this.settle(cells);
  }

  at(x, y) {
    return (this.height - 1 - y) * this.width + x;
  }

  /** Returns the positions of the top three jewels of a column. */
  top(column) {
    return [1, 2, 3].map((down) => this.at(column, this.stacks[column].length - down));
  }

  /** Returns the number of triples of equal jewels, and their positions. */
  matches() {
    const cells = new Set();
    let count = 0;
    for (const [across, up] of DIRECTIONS) {
      this.stacks.forEach((stack, x) => stack.forEach((jewel, y) => {
        if (this.stacks[x + across]?.[y + up] !== jewel || this.stacks[x + 2 * across]?.[y + 2 * up] !== jewel) return;
        count += 1;
        for (const far of [0, 1, 2]) cells.add(this.at(x + far * across, y + far * up));
      }));
    }
    return { count, cells: [...cells] };
  }

  /** Removes jewels and lets the ones above fall. */
  settle(cells) {
    const gone = new Set(cells), fallen = [];
    this.stacks = this.stacks.map((stack, x) => {
      const rest = stack.filter((_, y) => !gone.has(this.at(x, y))), lowest = stack.findIndex((_, y) => gone.has(this.at(x, y)));
      if (lowest >= 0) for (let y = lowest; y < rest.length; y++) fallen.push(this.at(x, y));
      return rest;
    });
    this.show("the jewels settle", fallen);
  }

  show(caption, marks, gained = 0) {
    this.total += gained;
    const board = new Array(this.width * this.height).fill("");
    this.stacks.forEach((stack, x) => stack.forEach((jewel, y) => { board[this.at(x, y)] = jewel; }));
    this.record.add(this.step, caption, gained, this.total, board, marks.sort((one, other) => one - other), this.pieces.slice(this.step, this.step + SHOWN));
  }
}

/** Encodes frames as the server does, each as the difference from the previous one. */
class Recorder {
  constructor(width) {
    Object.assign(this, { width, captions: [], frames: [], cells: [[null, 0]], queue: { width: 0, height: 3, cells: [] }, start: 0, step: 0, total: 0, board: [] });
    this.places = new Map([["", 0]]);
    this.texts = new Map();
  }

  look(jewel) {
    if (!this.places.has(jewel)) this.places.set(jewel, this.cells.push([jewel, Math.max(0, jewel.charCodeAt(0) - 96)]) - 1);
    return this.places.get(jewel);
  }

  caption(text) {
    if (!this.texts.has(text)) this.texts.set(text, this.captions.push(text) - 1);
    return this.texts.get(text);
  }

  /** Fields are in the server's order. */
  add(step, caption, gained, total, board, marks, ahead) {
    const isFirst = this.frames.length === 0, t = this.caption(caption), q = this.moveQueue(ahead) || undefined;
    if (isFirst) this.board = new Array(board.length).fill(0);
    const c = [];
    let last = 0;
    board.forEach((jewel, place) => {
      const look = this.look(jewel);
      if (look === this.board[place]) return;
      c.push(place - last, look);
      last = place;
      this.board[place] = look;
    });
    this.frames.push({
      s: isFirst || step !== this.step ? step : undefined, t, g: gained > 0 ? String(gained) : undefined, p: isFirst || total !== this.total ? String(total) : undefined,
      w: isFirst ? this.width : undefined, n: isFirst ? board.length : undefined, c: c.length > 0 ? c : undefined,
      m: marks.length > 0 ? marks.map((place, at) => place - (marks[at - 1] ?? 0)) : undefined, q,
    });
    Object.assign(this, { step, total });
  }

  /** Shows these upcoming pieces. Returns by how many pieces the shown part advances. */
  moveQueue(pieces) {
    const { queue } = this, { cells } = queue, before = this.start;
    const rows = [2, 1, 0].map((height) => pieces.map((piece) => this.look(piece[height])));
    const columns = pieces.flatMap((_, at) => rows.map((row) => row[at]));
    queue.width = Math.max(queue.width, pieces.length);
    const isAt = (start) => columns.every((look, at) => start + at >= cells.length || cells[start + at] === look);
    let start = cells.length;
    if (pieces.length > 0) {
      // Fewer pieces than usual are the last ones of the game.
      const starts = pieces.length < queue.width ? [cells.length - columns.length] : Array.from({ length: pieces.length + 1 }, (_, at) => 3 * (before + at));
      start = starts.find((start) => start >= 3 * before && start <= cells.length && isAt(start)) ?? cells.length;
      cells.push(...columns.slice(cells.length - start));
    }
    this.start = start / 3;
    return this.start - before;
  }
}
