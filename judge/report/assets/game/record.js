// Saves games as picture and video files.

import { tint } from "./dom.js";
import { download } from "./save.js";

const VIDEO_WIDTH = 1280;
const VIDEO_HEIGHT = 720;
/** The space above a board for its score and messages. */
const VIDEO_HEAD = 88;
const VIDEO_KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

/** Saves a canvas as PNG. */
export function saveCanvas(canvas, name) {
  canvas.toBlob((blob) => download(name, blob, "image/png"));
}

/** Draws what a viewer shows as a frame of a video. */
function drawFrame(pen, { replays, move }) {
  pen.fillStyle = tint("paper");
  pen.fillRect(0, 0, VIDEO_WIDTH, VIDEO_HEIGHT);
  const width = VIDEO_WIDTH / replays.length;
  replays.forEach(({ view, data, points, caption }, at) => {
    const left = at * width + 24;
    pen.fillStyle = tint("text");
    pen.font = "600 30px system-ui, sans-serif";
    pen.fillText(`${points.textContent} points`, left, 42, width - 48);
    pen.fillStyle = tint("faint");
    pen.font = "20px system-ui, sans-serif";
    pen.fillText(`${data.player} · move ${move.textContent} · ${caption.textContent}`, left, 72, width - 48);
    const size = Math.min((width - 48) / view.columns, (VIDEO_HEIGHT - VIDEO_HEAD - 16) / view.rows);
    const pixels = size > 3 ? Math.floor(size) : size;
    view.paint(pen, at * width + (width - pixels * view.columns) / 2, VIDEO_HEAD, pixels, [VIDEO_WIDTH, VIDEO_HEIGHT]);
  });
}

/** Plays a game from the start and saves it as a video. `tell` is called with progress messages. */
export async function recordVideo(viewer, name, tell) {
  const kind = globalThis.MediaRecorder && VIDEO_KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
  if (!kind) throw new Error("this browser records no videos");
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: VIDEO_WIDTH, height: VIDEO_HEIGHT });
  const pen = canvas.getContext("2d"), parts = [];
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 4_000_000 });
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  const ended = new Promise((done) => recorder.addEventListener("stop", done));
  viewer.show(0);
  drawFrame(pen, viewer);
  recorder.start(1000);
  tell("recording …");
  const drawing = setInterval(() => drawFrame(pen, viewer), 33);
  // A busy machine takes a while to encode the first picture. What is drawn before that is in no video.
  for (let tries = 0; tries < 100 && parts.every(({ size }) => size === 0); tries++) {
    await new Promise((done) => setTimeout(done, 100));
    recorder.requestData();
  }
  // Whatever pauses the game ends the video.
  viewer.play();
  await new Promise((done) => {
    const look = setInterval(() => {
      if (viewer.timer !== null) return;
      clearInterval(look);
      // Hold the last frame for a second.
      setTimeout(done, 1000);
    }, 50);
  });
  clearInterval(drawing);
  recorder.stop();
  await ended;
  const file = `${name}.${kind.startsWith("video/mp4") ? "mp4" : "webm"}`;
  download(file, new Blob(parts), kind);
  tell(`saved as ${file}`);
}
