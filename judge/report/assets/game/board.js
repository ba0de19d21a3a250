// The frames of a game: how to derive one from another, and which cells move between them.

/** Boards with more cells are shown without text and motion. */
const MOST_CELLS = 4000;
/** The look of an empty cell. */
const EMPTY = 0;

/** Fills a board from a text with one character per cell, starting at `#` and skipping the backslash. */
export function wholeBoard(text, board) {
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    board[place] = code - 35 - (code > 92 ? 1 : 0);
  }
}

/** Returns the state after a frame. Reuses `state`, which is invalid afterwards. */
export function advance(state, delta) {
  const board = delta.w === undefined ? state.board : new Uint32Array(delta.n);
  if (delta.b) wholeBoard(delta.b, board);
  for (let i = 0, place = 0; delta.c && i < delta.c.length; i += 2) {
    place += delta.c[i];
    board[place] = delta.c[i + 1];
  }
  return { board, width: delta.w ?? state.width, step: delta.s ?? state.step, total: delta.p ?? state.total, start: state.start + (delta.q ?? 0) };
}

/** Returns the state before the first frame. */
export const beforeFirst = () => ({ board: new Uint32Array(0), width: 0, step: 0, total: "0", start: 0 });
export const copyState = (state) => ({ ...state, board: state.board.slice() });

/** Returns the cells that a frame marks. */
export function marksOf(delta) {
  const marks = new Set();
  let place = 0;
  for (const difference of delta.m ?? []) marks.add(place += difference);
  return marks;
}

/** Returns a board as plain text, or an empty text for a large board. */
export function boardText({ board, width }, looks) {
  if (board.length > MOST_CELLS) return "";
  const lines = [];
  for (let start = 0; start < board.length; start += width) {
    lines.push([...board.slice(start, start + width)].map((look) => looks[look][0] ?? ".").join(" "));
  }
  return lines.join("\n");
}

/** Returns where the cells of a board come from: a map from each cell to its column and row on the previous board, or
 * `null` for a new cell. `gone` are the cells that were marked before. */
export function motionOf(before, after, gone) {
  const { board: old, width } = before, { board } = after;
  const moved = new Map();
  if (after.width !== width || old.length !== board.length || board.length > MOST_CELLS) return moved;
  const at = (place) => [place % width, Math.floor(place / width)];
  const changed = [...board.keys()].filter((place) => board[place] !== old[place]);
  const [one, other] = changed;
  if (changed.length === 2 && old[one] === board[other] && old[other] === board[one]) return new Map([[one, at(other)], [other, at(one)]]);
  if (changed.every((place) => old[place] === EMPTY)) {
    // A landing piece comes from above the board.
    const height = 1 + Math.max(...changed.map((place) => at(place)[1]));
    for (const place of changed) moved.set(place, [at(place)[0], at(place)[1] - height]);
    return moved;
  }
  for (const closes of [false, true]) {
    const from = fallen(old, width, gone, closes);
    if (!board.every((look, place) => look === (from[place] < 0 ? EMPTY : old[from[place]]))) continue;
    from.forEach((source, place) => source >= 0 && source !== place && moved.set(place, at(source)));
    return moved;
  }
  for (const place of changed) if (board[place] !== EMPTY) moved.set(place, null);
  return moved;
}

/** Returns the previous position of each cell after some are removed and the rest fall down, and with `closes` move
 * left to fill empty columns. -1 means that there is none. */
export function fallen(board, width, gone, closes) {
  const rows = board.length / width, from = new Int32Array(board.length).fill(-1);
  let column = 0;
  for (let x = 0; x < width; x++) {
    let row = rows;
    for (let y = rows - 1; y >= 0; y--) {
      const place = y * width + x;
      if (board[place] !== EMPTY && !gone.has(place)) from[--row * width + column] = place;
    }
    if (!closes || row < rows) column++;
  }
  return from;
}
