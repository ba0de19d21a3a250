// The page of one game.

import { debounced } from "./dom.js";
import { Viewer } from "./viewer.js";

const $ = (id) => document.getElementById(id);

/** The address contains the current frame once the page is visible. */
const remember = debounced((tick) => history.replaceState(null, "", `#frame=${tick + 1}`));
const askedFrame = (address) => Number(/#frame=(\d+)$/.exec(address)?.[1] ?? 1) - 1;

/** Shows a game at the frame in the address. */
export function showGame(data) {
  $("facts").textContent = [data.case, data.player, data.result].filter(Boolean).join(" · ");
  const viewer = new Viewer($("viewer"), [data], { shown: remember, tick: askedFrame(location.href) });
  // By now the address may have changed again.
  addEventListener("hashchange", ({ newURL }) => viewer.jump(askedFrame(newURL)));
}

const inPage = $("game");
if (inPage) showGame(JSON.parse(inPage.textContent));
