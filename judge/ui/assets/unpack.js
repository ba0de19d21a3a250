// Unpacks a game that was packed for a page without a server, by computing its frames again.

import { fallen, marksOf, wholeBoard } from "./board.js";

const FALLS = 1, CLOSES = 2, MARKS_CHANGED = 4, HAS_MARKS = 8, NEXT_STEP = 16, HAS_GAIN = 32;

/** Returns the game as the server's document. */
export function unpack(packed) {
  const { kinds, forms, steps, texts, gains, totals, counts, places, looks, boards, mark_counts: markCounts, marks, moved, ...rest } = packed;
  const of = (list) => new Map(list.map(([at, ...values]) => [at, values]));
  const [formAt, stepAt, totalAt, boardAt, movedAt] = [forms, steps, totals, boards, moved].map(of);
  let board = new Uint32Array(0), width = 0, gone = new Set(), step = 0, newest = 0, total = 0;
  let gain = 0, count = 0, cell = 0, markCount = 0, mark = 0;
  const frames = [...kinds].map((letter, at) => {
    const kind = letter.charCodeAt(0) - 48, frame = {};
    if (stepAt.has(at) || kind & NEXT_STEP || at === 0) frame.s = step = stepAt.get(at)?.[0] ?? (kind & NEXT_STEP ? step + 1 : step);
    frame.t = texts[at] === 0 ? newest : newest - texts[at];
    newest = Math.max(newest, frame.t + 1);
    if (kind & HAS_GAIN) frame.g = gains[gain++];
    const told = totalAt.get(at)?.[0];
    if (told) frame.p = told;
    else if (frame.g !== undefined && told !== "") frame.p = String(total + Number(frame.g));
    if (frame.p !== undefined) total = Number(frame.p);
    if (formAt.has(at)) {
      [frame.w, frame.n] = formAt.get(at);
      [width, board, gone] = [frame.w, new Uint32Array(frame.n), new Set()];
    }
    const before = board;
    if (kind & (FALLS | CLOSES)) {
      const from = fallen(before, width, gone, Boolean(kind & CLOSES));
      board = from.map((place) => (place < 0 ? 0 : before[place]));
      frame.c = differences(before, board);
    } else {
      board = before.slice();
      const end = cell + counts[count++];
      const changes = [];
      for (let place = 0; cell < end; cell++) {
        place += places[cell];
        board[place] = looks[cell];
        changes.push(places[cell], looks[cell]);
      }
      if (changes.length > 0) frame.c = changes;
    }
    if (boardAt.has(at)) {
      [frame.b] = boardAt.get(at);
      wholeBoard(frame.b, board);
    }
    if (kind & MARKS_CHANGED) frame.m = gaps([...board.keys()].filter((place) => board[place] !== before[place] && board[place] !== 0));
    if (kind & HAS_MARKS) {
      const end = mark + markCounts[markCount++];
      frame.m = marks.slice(mark, end);
      mark = end;
    }
    gone = marksOf(frame);
    if (movedAt.has(at)) [frame.q] = movedAt.get(at);
    return frame;
  });
  return { ...rest, frames };
}

/** Returns the difference of each number from the previous one. */
function gaps(numbers) {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0));
}

/** Returns the changed cells in the format of a frame. */
function differences(before, board) {
  const changed = [...board.keys()].filter((place) => board[place] !== before[place]);
  return gaps(changed).flatMap((gap, at) => [gap, board[changed[at]]]);
}
