// Shows and edits the tags and the note of a run.

import { path, post, server } from "./api.js";
import { AS_TYPED, address, attempt, el } from "./dom.js";

/** Returns the tags of a run, each linked to the runs with that tag. */
export function tagList(tags = []) {
  return tags.map((tag) => el("a", { class: "tag", href: address("", { tag }) }, tag));
}

export class Labels {
  constructor(head) {
    this.head = head;
    this.box = el("div", { class: "labels" });
    this.isOpen = false;
    this.show();
  }

  /** Draws them. Without a server, they are read-only. */
  show() {
    this.draw().catch(() => {});
  }

  async draw() {
    const { tags, note } = this.head;
    const shown = [el("span", {}, tagList(tags)), note ? el("p", { class: "note" }, note) : ""];
    this.box.replaceChildren(...shown);
    if (!(await server()).edits || this.isOpen) return;
    this.box.replaceChildren(...shown, el("button", { class: "quiet", click: () => this.edit() }, tags || note ? "Edit tags and note" : "Add tags and a note"));
  }

  /** Shows changes made by another page or a command, unless they are being edited here. */
  follow(head) {
    const isNew = JSON.stringify([head.tags, head.note]) !== JSON.stringify([this.head.tags, this.head.note]);
    Object.assign(this.head, { tags: head.tags, note: head.note });
    if (isNew && !this.isOpen) this.show();
  }

  edit() {
    this.isOpen = true;
    const { tags = [], note = "" } = this.head;
    const words = el("input", { value: tags.join(" "), ...AS_TYPED });
    const text = el("textarea", { rows: "3", maxlength: "2000" }, note);
    const problem = el("div");
    const save = async (event) => {
      event.preventDefault();
      await attempt(problem, async () => {
        const tags = words.value.split(/[\s,]+/).filter(Boolean);
        const now = await post(path("runs", this.head.run, "labels"), { tags, note: text.value });
        Object.assign(this.head, { tags: now.tags, note: now.note });
        this.close();
      });
    };
    this.box.replaceChildren(el("form", { class: "detail", submit: save },
      el("label", {}, "Tags, with spaces between them", words), el("label", {}, "Note", text), problem,
      el("div", { class: "tools" }, el("button", {}, "Save"), el("button", { click: () => this.close() }, "Cancel"))));
    words.focus();
  }

  async close() {
    this.isOpen = false;
    await this.draw();
    this.box.querySelector("button")?.focus();
  }
}
