// The page of one game.

import { debounced } from "./dom.js";
import { Viewer } from "./viewer.js";

const $ = (id) => document.getElementById(id);

/** The address leads to the frame that is shown, once it is looked at. */
const remember = debounced((tick) => history.replaceState(null, "", `#frame=${tick + 1}`));
const askedFrame = (address) => Number(/#frame=(\d+)$/.exec(address)?.[1] ?? 1) - 1;

/** Shows a game at the frame that the address names. */
export function showGame(data) {
  $("facts").textContent = [data.case, data.player, data.result].filter(Boolean).join(" · ");
  const viewer = new Viewer($("viewer"), [data], { shown: remember, tick: askedFrame(location.href) });
  // The address itself may have changed again by now.
  addEventListener("hashchange", ({ newURL }) => viewer.jump(askedFrame(newURL)));
}

const inPage = $("game");
if (inPage) showGame(JSON.parse(inPage.textContent));
