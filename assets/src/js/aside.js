// The text that was replaced as a whole, kept under the editor and on the server until it is forgotten.
export class Aside {
  /** What the next save has to tell the server; null where it knows. */
  pending = null;

  constructor(area, replaceWhole) {
    this.box = document.querySelector(`[data-aside="${area.id}"]`);
    this.shown = this.box?.querySelector("pre");
    // Code of an earlier submission is in the editor: the first change to it replaces the draft.
    this.replaced = this.box && "replaced" in this.box.dataset ? this.shown.textContent : null;
    this.box?.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      replaceWhole(event.submitter?.value === "swap" ? this.shown.textContent : null);
    });
  }

  keep(text) {
    this.pending = text;
    this.replaced = null;
    if (!this.box) return;
    this.shown.textContent = text;
    this.box.hidden = !text;
  }

  /** The text to send with a save of `text`, null for none. */
  toSend(text) {
    if (this.replaced && this.replaced !== text) this.keep(this.replaced);
    return this.pending;
  }

  sent(text) {
    if (this.pending === text) this.pending = null;
  }
}
