// A picture of a board. It fills its box at any scale and can be zoomed and moved.

import { el, tint } from "./dom.js";

/** The smallest cell sizes, in CSS pixels, for a shape and for a letter, and the size at 1:1. */
const SHAPE_SIZE = 6;
const LETTER_SIZE = 12;
const NATURAL_SIZE = 32;
const LARGEST_SIZE = 96;
/** If the shorter side of a board would be less than this, in pixels, only a part is shown, with cells of at most this
 * size. */
const THIN = 48;
const THIN_SIZE = 24;
/** The zoom mode that always shows the whole board. */
const WHOLE = 0;
const MINIMAP_SIZE = 150;
/** Strips shorter than this are not folded. */
const SHORT_STRIP = 9;

/** Returns the red, green and blue of a number. The golden angle keeps neighbouring colours apart, for any number of colours. */
function rgbOf(color, lightness) {
  const hue = (color * 137.508 + 200) % 360, spread = 0.7 * Math.min(lightness, 1 - lightness);
  const part = (shift) => {
    const k = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

/** The shape of each colour, as corners on a circle: `[corners, turn]`. A shape without corners is round. */
const CORNERS = [[0, 0], [4, 0.5], [4, 0], [6, 0], [3, 0], [8, 0.5], [5, 0]];

/** Draws the outline of a look's shape in a square. */
function outline(pen, [text, color], x, y, side) {
  const [middleX, middleY, radius] = [x + side / 2, y + side / 2, side / 2];
  const isStar = text === "*";
  const [corners, turn] = isStar ? [10, 0] : CORNERS[color % CORNERS.length];
  pen.beginPath();
  if (corners === 0) pen.arc(middleX, middleY, radius, 0, 2 * Math.PI);
  else if (corners === 4 && turn === 0.5) pen.roundRect(x, y, side, side, side / 6);
  else {
    // A triangle sits low in its circle, so move it.
    const [low, reach] = corners === 3 ? [side * 0.12, radius * 1.16] : [0, radius];
    for (let at = 0; at < corners; at++) {
      const angle = 2 * Math.PI * (at + turn) / corners - Math.PI / 2;
      const far = isStar && at % 2 ? reach * 0.62 : reach;
      pen.lineTo(middleX + far * Math.cos(angle), middleY + low + far * Math.sin(angle));
    }
    pen.closePath();
  }
}

/** A cache of drawn looks: each is drawn once for each size and theme. */
export class Sprites {
  constructor(looks) {
    this.looks = looks;
    this.clear();
  }

  /** Reads the theme again. */
  clear() {
    this.lightness = parseFloat(tint("light")) / 100;
    this.sprites = new Map();
  }

  rgb(look) {
    return rgbOf(this.looks[look][1], this.lightness);
  }

  /** Returns the picture of a look in a square of this many screen pixels. */
  of(look, pixels) {
    const key = `${look} ${pixels}`;
    let sprite = this.sprites.get(key);
    if (sprite) return sprite;
    sprite = new OffscreenCanvas(pixels, pixels);
    const pen = sprite.getContext("2d"), drawn = this.looks[look];
    const gap = pixels > 14 ? Math.max(1, Math.round(pixels / 24)) : 0;
    pen.fillStyle = `rgb(${this.rgb(look)})`;
    pen.strokeStyle = "#0005";
    pen.lineWidth = Math.max(1, pixels / 40);
    outline(pen, drawn, gap + pen.lineWidth / 2, gap + pen.lineWidth / 2, pixels - 2 * gap - pen.lineWidth);
    pen.fill();
    if (pixels > 14) pen.stroke();
    if (drawn[0] && pixels >= LETTER_SIZE) {
      pen.fillStyle = "#111";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.font = `600 ${Math.floor(Math.min(pixels * 0.48, pixels * 1.1 / drawn[0].length))}px system-ui, sans-serif`;
      const low = CORNERS[drawn[1] % CORNERS.length][0] === 3 && drawn[0] !== "*" ? pixels * 0.1 : 0;
      pen.fillText(drawn[0], pixels / 2, pixels / 2 + pixels * 0.03 + low);
    }
    if (this.sprites.size > 2000) this.sprites.clear();
    this.sprites.set(key, sprite);
    return sprite;
  }
}

/** Draws cells in a strip, such as the next pieces, from looks row by row. `size` is the cell size in CSS pixels. */
export function drawStrip(canvas, sprites, cells, width, size, marked = new Set()) {
  const ratio = devicePixelRatio || 1, pixels = Math.round(size * ratio), rows = Math.ceil(cells.length / Math.max(1, width));
  canvas.width = width * pixels;
  canvas.height = rows * pixels;
  canvas.style.width = `${width * pixels / ratio}px`;
  const pen = canvas.getContext("2d");
  cells.forEach((look, place) => {
    const [x, y] = [(place % width) * pixels, Math.floor(place / width) * pixels];
    if (sprites.looks[look][0] !== null) pen.drawImage(sprites.of(look, pixels), x, y);
    if (marked.has(place)) frame(pen, x, y, pixels, pixels);
  });
}

/** Draws a frame that is visible on every colour: dark inside light, or the reverse. */
function frame(pen, x, y, width, height, dash = []) {
  const line = Math.max(2, Math.min(4, Math.round(Math.min(width, height) / 14)));
  for (const [color, thick] of [[tint("paper"), line + 2], [tint("mark"), line]]) {
    pen.strokeStyle = color;
    pen.lineWidth = thick;
    pen.setLineDash(dash);
    pen.strokeRect(x + line / 2, y + line / 2, width - line, height - line);
  }
  pen.setLineDash([]);
}

/** A canvas that shows a board. */
export class BoardView {
  constructor(looks, attributes) {
    this.sprites = new Sprites(looks);
    this.canvas = el("canvas", attributes);
    this.minimap = el("canvas", { class: "minimap", "aria-hidden": "true" });
    this.box = el("div", { class: "screen" }, this.canvas, this.minimap);
    this.map = document.createElement("canvas");
    Object.assign(this, { marks: new Set(), aimed: new Map(), moved: new Map(), cursor: -1, zoom: null, middle: [0, 0] });
    const observer = new ResizeObserver(() => (this.box.isConnected ? this.draw() : observer.disconnect()));
    observer.observe(this.box);
    this.listen();
  }

  listen() {
    const { canvas, minimap } = this;
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !this.isCut()) return;
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, event);
    }, { passive: false });
    const drag = (element, moved) => {
      element.addEventListener("pointerdown", (event) => {
        if (this.isCut() && event.button === 0) {
          element.setPointerCapture(event.pointerId);
          moved(event, 0, 0);
        }
      });
      element.addEventListener("pointermove", (event) => element.hasPointerCapture(event.pointerId) && moved(event, event.movementX, event.movementY));
    };
    drag(canvas, (_, x, y) => this.pan(-x / this.size, -y / this.size));
    drag(minimap, ({ offsetX, offsetY }) => {
      this.middle = [offsetX / minimap.clientWidth * this.columns, offsetY / minimap.clientHeight * this.rows];
      this.draw();
    });
  }

  /** Shows a board. `moved` says where cells come from; their motion takes this many milliseconds. */
  show(state, { marks = new Set(), aimed = new Map(), cursor = -1, moved = new Map(), duration = 0 } = {}) {
    const isOther = this.state?.width !== state.width || this.state?.board.length !== state.board.length;
    Object.assign(this, { state, marks, aimed, cursor, moved, duration, began: performance.now(), isMapped: false });
    if (isOther) this.fold();
    if (isOther) this.middle = [this.columns / 2, this.rows / 2];
    cancelAnimationFrame(this.next);
    this.follow();
    this.draw();
  }

  /** Chooses how many columns are drawn. A long strip is folded to make its cells as large as possible. */
  fold() {
    const { width, board: { length } } = this.state, { clientWidth, clientHeight } = this.box;
    const side = (columns) => Math.min(clientWidth / columns, clientHeight / Math.ceil(length / columns));
    this.columns = Math.max(1, width);
    if (length === width && length >= SHORT_STRIP) {
      this.columns = SHORT_STRIP;
      for (let count = SHORT_STRIP; count <= length; count++) if (side(count) > side(this.columns)) this.columns = count;
    }
    this.rows = Math.max(1, Math.ceil(length / this.columns));
    this.box.style.setProperty("--ratio", this.rows / this.columns);
  }

  /** Returns whether a part of the board is hidden. */
  isCut() {
    return this.size * this.columns > this.box.clientWidth + 1 || this.size * this.rows > this.box.clientHeight + 1;
  }

  zoomBy(factor, event) {
    const before = event && this.cellAt(event);
    const zoom = Math.min(LARGEST_SIZE, (this.zoom || this.size) * factor);
    this.zoom = zoom <= this.fitting() ? WHOLE : zoom;
    this.place();
    const after = event && this.cellAt(event);
    if (before && after) this.middle = this.middle.map((at, axis) => at + before[axis] - after[axis]);
    this.draw();
  }

  /** Shows the whole board. */
  fit() {
    this.zoom = WHOLE;
    this.draw();
  }

  /** Shows cells at their natural size. */
  natural() {
    this.zoom = NATURAL_SIZE;
    this.follow();
    this.draw();
  }

  pan(x, y) {
    this.middle = [this.middle[0] + x, this.middle[1] + y];
    this.draw();
  }

  /** Keeps the marked cells in view. */
  follow() {
    this.place();
    const [place] = this.marks;
    if (place === undefined || !this.isCut()) return;
    const [x, y] = this.at(place);
    const [left, top] = [this.left + x * this.size, this.top + y * this.size];
    if (left < 0 || top < 0 || left > this.box.clientWidth - this.size || top > this.box.clientHeight - this.size) this.middle = [x, y];
  }

  at(place) {
    return [place % this.columns, Math.floor(place / this.columns)];
  }

  fitting() {
    return Math.max(0.05, Math.min(LARGEST_SIZE, this.box.clientWidth / this.columns, this.box.clientHeight / this.rows));
  }

  /** Returns the default cell size: the one that fits the whole board, unless the board would be too narrow. */
  usual() {
    const { clientWidth, clientHeight } = this.box, whole = this.fitting();
    if (whole * Math.min(this.columns, this.rows) >= THIN || whole >= THIN_SIZE) return whole;
    return Math.min(THIN_SIZE, Math.max(clientWidth / this.columns, clientHeight / this.rows));
  }

  /** Sets the cell size and the origin of the board. */
  place() {
    const { clientWidth: width, clientHeight: height } = this.box;
    const ratio = devicePixelRatio || 1, wanted = this.zoom === null ? this.usual() : this.zoom || this.fitting();
    // Align to whole screen pixels for a sharp picture.
    this.size = wanted * ratio > 3 ? Math.floor(wanted * ratio) / ratio : wanted;
    const begin = (room, count, middle) => {
      const side = count * this.size;
      const start = side <= room ? (room - side) / 2 : Math.max(room - side, Math.min(0, room / 2 - middle * this.size));
      return Math.round(start * ratio) / ratio;
    };
    // Keep the centre on the board.
    this.middle = this.middle.map((at, axis) => Math.max(0, Math.min([this.columns, this.rows][axis], at)));
    [this.left, this.top] = [begin(width, this.columns, this.middle[0]), begin(height, this.rows, this.middle[1])];
  }

  /** Returns the column and row at an event, as fractions. */
  cellAt({ clientX, clientY }) {
    if (!this.state) return undefined;
    const { left, top } = this.canvas.getBoundingClientRect();
    return [(clientX - left - this.left) / this.size, (clientY - top - this.top) / this.size];
  }

  /** Draws the current view in the current theme and size. */
  draw() {
    if (!this.state || this.box.clientWidth === 0) return;
    this.place();
    const ratio = devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = this.box;
    const { canvas } = this, [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, wide, high);
    const share = this.duration > 0 ? Math.min(1, (performance.now() - this.began) / this.duration) : 1;
    this.paint(pen, this.left * ratio, this.top * ratio, this.size * ratio, [wide, high], share);
    this.drawMinimap();
    canvas.style.touchAction = this.isCut() ? "none" : "manipulation";
    canvas.style.cursor = this.isCut() ? "grab" : "";
    if (share < 1) this.next = requestAnimationFrame(() => this.draw());
  }

  /** Draws the board from a corner, with cells of this many pixels, at the fraction `share` of a motion. */
  paint(pen, left, top, pixels, [wide, high], share = 1) {
    const { columns, rows, marks, state: { board } } = this;
    pen.fillStyle = tint("empty");
    pen.fillRect(left, top, columns * pixels, rows * pixels);
    if (pixels < SHAPE_SIZE) {
      this.drawMap();
      pen.imageSmoothingEnabled = pixels < 1;
      pen.drawImage(this.map, left, top, columns * pixels, rows * pixels);
      this.frameMarks(pen, left, top, pixels);
      return;
    }
    const seen = (start, room, count) => [Math.max(0, Math.floor(-start / pixels)), Math.min(count, Math.ceil((room - start) / pixels))];
    const [firstX, endX] = seen(left, wide, columns), [firstY, endY] = seen(top, high, rows);
    if (pixels >= LETTER_SIZE) this.drawGrid(pen, [left + firstX * pixels, top + firstY * pixels], [endX - firstX, endY - firstY], pixels);
    const later = [];
    for (let y = firstY; y < endY; y++) {
      for (let x = firstX; x < endX; x++) {
        const place = y * columns + x;
        if (place >= board.length) break;
        if (share < 1 && this.moved.has(place)) later.push(place);
        else this.drawCell(pen, place, left + x * pixels, top + y * pixels, pixels);
      }
    }
    for (const place of later) this.drawMoved(pen, place, [left, top], pixels, share);
    for (const place of marks) frame(pen, ...this.cornerOf(place, left, top, pixels), pixels, pixels);
    for (const place of this.aimed.keys()) frame(pen, ...this.cornerOf(place, left, top, pixels), pixels, pixels, [pixels / 6, pixels / 8]);
    if (this.cursor >= 0) frame(pen, ...this.cornerOf(this.cursor, left, top, pixels), pixels, pixels);
  }

  /** Draws the lines between cells. */
  drawGrid(pen, [left, top], [columns, rows], pixels) {
    pen.strokeStyle = tint("paper");
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = 1; x < columns; x++) {
      pen.moveTo(left + x * pixels, top);
      pen.lineTo(left + x * pixels, top + rows * pixels);
    }
    for (let y = 1; y < rows; y++) {
      pen.moveTo(left, top + y * pixels);
      pen.lineTo(left + columns * pixels, top + y * pixels);
    }
    pen.stroke();
  }

  cornerOf(place, left, top, pixels) {
    const [x, y] = this.at(place);
    return [left + x * pixels, top + y * pixels];
  }

  drawCell(pen, place, x, y, pixels) {
    const ghost = this.aimed.get(place), look = ghost ?? this.state.board[place];
    if (this.sprites.looks[look][0] === null) return;
    pen.globalAlpha = ghost === undefined ? 1 : 0.6;
    pen.drawImage(this.sprites.of(look, Math.round(pixels)), x, y, pixels, pixels);
    pen.globalAlpha = 1;
  }

  drawMoved(pen, place, [left, top], pixels, share) {
    const to = this.at(place), from = this.moved.get(place);
    const done = 1 - (1 - share) ** 3;
    if (from) {
      const [x, y] = to.map((end, axis) => from[axis] + (end - from[axis]) * done);
      this.drawCell(pen, place, left + x * pixels, top + y * pixels, pixels);
    } else {
      const side = pixels * (0.4 + 0.6 * done), shift = (pixels - side) / 2;
      this.drawCell(pen, place, left + to[0] * pixels + shift, top + to[1] * pixels + shift, side);
    }
  }

  /** Draws the board with one pixel per cell. */
  drawMap() {
    if (this.isMapped) return;
    const { map, columns, rows, marks, sprites, state: { board } } = this;
    if (map.width !== columns || map.height !== rows) Object.assign(map, { width: columns, height: rows });
    const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
    const packed = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
    const colors = sprites.looks.map(([text], look) => (text === null ? 0 : packed(sprites.rgb(look))));
    for (let place = 0; place < board.length; place++) pixels[place] = colors[board[place]];
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    for (const place of marks) pixels[place] = packed(isDark ? [255, 255, 255] : [0, 0, 0]);
    map.getContext("2d").putImageData(image, 0, 0);
    this.isMapped = true;
  }

  /** Draws a frame around the marked cells when cells are tiny. */
  frameMarks(pen, left, top, pixels) {
    if (this.marks.size === 0) return;
    const ends = [Infinity, Infinity, -Infinity, -Infinity];
    for (const place of this.marks) {
      const [x, y] = this.at(place);
      [ends[0], ends[1], ends[2], ends[3]] = [Math.min(ends[0], x), Math.min(ends[1], y), Math.max(ends[2], x + 1), Math.max(ends[3], y + 1)];
    }
    const [x, y, right, bottom] = ends.map((end) => end * pixels);
    frame(pen, left + x - 6, top + y - 6, right - x + 12, bottom - y + 12);
  }

  drawMinimap() {
    const { minimap, columns, rows } = this;
    minimap.hidden = !this.isCut();
    if (minimap.hidden) return;
    this.drawMap();
    const scale = MINIMAP_SIZE / Math.max(columns, rows), ratio = devicePixelRatio || 1;
    const [width, height] = [columns, rows].map((count) => Math.max(8, count * scale));
    Object.assign(minimap, { width: width * ratio, height: height * ratio });
    Object.assign(minimap.style, { width: `${width}px`, height: `${height}px` });
    const pen = minimap.getContext("2d");
    pen.fillStyle = tint("empty");
    pen.fillRect(0, 0, minimap.width, minimap.height);
    pen.imageSmoothingEnabled = scale * ratio < 1;
    pen.drawImage(this.map, 0, 0, minimap.width, minimap.height);
    const part = (start, room, count, side) => [Math.max(0, -start / this.size) / count * side, Math.min(count, room / this.size) / count * side];
    const [x, wide] = part(this.left, this.box.clientWidth, columns, minimap.width);
    const [y, high] = part(this.top, this.box.clientHeight, rows, minimap.height);
    frame(pen, x, y, wide, high);
  }

  /** Applies another theme. */
  repaint() {
    this.sprites.clear();
    this.isMapped = false;
    this.draw();
  }

  /** Returns a picture of the whole board with at most this many pixels per side. */
  picture(most = 2400) {
    const pixels = Math.max(1, Math.min(64, Math.floor(most / Math.max(this.columns, this.rows))));
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: this.columns * pixels, height: this.rows * pixels });
    this.paint(canvas.getContext("2d"), 0, 0, pixels, [canvas.width, canvas.height]);
    return canvas;
  }
}
