// The state of a page: all of it is in its address, so that a reload, a link and the way back show the same.

import { address } from "./dom.js";

/** The time after which a place that one scrolls to is remembered, in milliseconds. */
const PAUSE = 200;

export class Address {
  /** The address that the browser shows. */
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

  /** Changes parts of the state; those that are empty are left out. A page that is no longer shown changes nothing. */
  set(changes) {
    if (new Address().path !== this.path) return;
    for (const [name, value] of Object.entries(changes)) {
      if (value === "" || value === undefined || value === null || value === false) this.query.delete(name);
      else this.query.set(name, value === true ? "1" : value);
    }
    const words = address(this.path, Object.fromEntries(this.query));
    if (words !== location.hash) history.replaceState(history.state, "", words);
  }

  /** Remembers how far down the page one is, and returns what ends that. */
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

  /** Goes to where one was, once the page is high enough. */
  restore() {
    scrollTo(0, Number(this.get("top") ?? 0));
  }
}
