// The page of one game, with data from the server.

import { game } from "./api.js";
import { address, failure } from "./dom.js";
import { showGame } from "./game.js";

const viewer = document.getElementById("viewer");
const { run, case: name, solver } = viewer.dataset;
document.getElementById("back").href = `/${address(`runs/${run}`, { case: name, solver })}`;
game(run, name, solver).then(showGame).catch((error) => viewer.replaceChildren(failure(error)));
