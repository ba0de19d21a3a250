"use strict";
// Boards of games: how the frames of a film follow from each other, and how a board is drawn.

/** Returns the state after a frame of a film. `state` is used up. */
function advance(state, delta) {
  const board = delta.w === undefined ? state.board : new Uint32Array(delta.n);
  for (let i = 0, place = 0; delta.c && i < delta.c.length; i += 2) {
    place += delta.c[i];
    board[place] = delta.c[i + 1];
  }
  return { board, width: delta.w ?? state.width, step: delta.s ?? state.step, total: delta.p ?? state.total };
}

/** Returns the state before the first frame of a film. */
const beforeFirst = () => ({ board: new Uint32Array(0), width: 0, step: 0, total: "0" });
const copyState = (state) => ({ ...state, board: state.board.slice() });

/** Returns the places that a frame marks. */
function marksOf(delta) {
  const marks = new Set();
  let place = 0;
  for (const difference of delta.m ?? []) marks.add(place += difference);
  return marks;
}

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
// The golden angle keeps neighbouring colours apart, for any number of colours.
const paint = (color) => `hsl(${(color * 137.508 + 200) % 360} 62% ${style("--light")})`;

/** Draws a board, whose cells are places in `looks`: pairs of a text and a colour. `marks` are framed; of `aimed` cells, a
 * map from places to looks, those with a look are drawn as if they had it. Returns how many columns are drawn, and the size of a cell. */
function drawBoard(canvas, { board, width }, looks, { marks = new Set(), aimed = new Map(), room, height, least = 2 }) {
  const count = board.length;
  // A long strip is folded.
  const columns = Math.max(1, count === width ? Math.min(count, 50) : width);
  const rows = Math.max(1, Math.ceil(count / columns));
  const size = Math.max(least, Math.floor(Math.min(44, room / columns, height / rows)));
  const ratio = devicePixelRatio || 1;
  canvas.width = columns * size * ratio;
  canvas.height = rows * size * ratio;
  canvas.style.width = `${columns * size}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const gap = size > 8 ? 1 : 0, paints = new Map(), empty = style("--empty"), mark = style("--mark");
  const frame = (x, y) => {
    const line = Math.max(1, Math.round(size / 12));
    pen.strokeStyle = mark;
    pen.lineWidth = line;
    pen.strokeRect(x + line / 2 + gap, y + line / 2 + gap, size - line - 2 * gap, size - line - 2 * gap);
  };
  for (let place = 0; place < count; place++) {
    const [text, color] = aimed.get(place) ?? looks[board[place]];
    const x = (place % columns) * size, y = Math.floor(place / columns) * size;
    if (text !== null && !paints.has(color)) paints.set(color, paint(color));
    pen.fillStyle = text === null ? empty : paints.get(color);
    pen.fillRect(x + gap, y + gap, size - 2 * gap, size - 2 * gap);
    if (text && size >= 12) {
      pen.fillStyle = "#111";
      pen.font = `600 ${Math.floor(Math.min(size * 0.52, size * 1.3 / text.length))}px system-ui, sans-serif`;
      pen.fillText(text, x + size / 2, y + size / 2 + 1);
    }
    if (marks.has(place)) frame(x, y);
    if (aimed.has(place)) {
      pen.setLineDash([size / 6, size / 8]);
      frame(x, y);
      pen.setLineDash([]);
    }
  }
  return { columns, size };
}

/** Returns a board in plain characters. */
function boardText({ board, width }, looks) {
  const lines = [];
  for (let start = 0; start < board.length; start += width) {
    lines.push([...board.slice(start, start + width)].map((look) => looks[look][0] ?? ".").join(" "));
  }
  return lines.join("\n");
}
