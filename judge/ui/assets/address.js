// The state of a page. It is kept entirely in the address, so a reload, a link and the Back button show the same.

import { address } from "./dom.js";

/** The delay after scrolling before the position is saved, in milliseconds. */
const PAUSE = 200;

export class Address {
  /** The address in the browser's address bar. */
  constructor() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    Object.assign(this, { path, query: new URLSearchParams(query ?? "") });
  }

  get(name) {
    return this.query.get(name);
  }

  has(name) {
    return this.query.has(name);
  }

  /** Changes parts of the state. Empty parts are left out. Does nothing if the page is no longer shown. */
  set(changes) {
    if (new Address().path !== this.path) return;
    for (const [name, value] of Object.entries(changes)) {
      if (value === "" || value === undefined || value === null || value === false) this.query.delete(name);
      else this.query.set(name, value === true ? "1" : value);
    }
    const words = address(this.path, Object.fromEntries(this.query));
    if (words !== location.hash) history.replaceState(history.state, "", words);
  }

  /** Saves the scroll position from now on, and returns a function that stops it. */
  follow() {
    let timer;
    const scrolled = () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.set({ top: Math.round(scrollY) || "" }), PAUSE);
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener("scroll", scrolled);
    };
  }

  /** Restores the scroll position once the page is tall enough. */
  restore() {
    scrollTo(0, Number(this.get("top") ?? 0));
  }
}
