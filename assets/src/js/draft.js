// Saves what is typed to the server while it is typed, and to this browser when the server cannot be reached.
import { recall, remember, token } from "./store.js";

const PAUSE_MS = 800;
const RETRY_MS = 5000;

export class Draft {
  #timer = 0;
  #saving = false;
  #again = false;
  #conflict = false;
  #leaving = false;

  constructor(area, place, replace) {
    this.area = area;
    this.replace = replace;
    this.url = area.dataset.draftUrl;
    // The attribute and the default value are what the server sent; a browser may have filled the rest from an earlier visit.
    this.#setRevision(area.dataset.revision || "0");
    this.saved = area.defaultValue;
    this.status = document.createElement("p");
    this.status.className = "draft-status";
    this.status.setAttribute("role", "status");
    place.append(this.status);
    this.choice = document.createElement("div");
    place.after(this.choice);

    area.addEventListener("input", () => this.#soon(PAUSE_MS));
    // The form carries the text itself; saving it a second time beside it would only race.
    area.form?.addEventListener("submit", () => {
      this.#leaving = true;
      clearTimeout(this.#timer);
      setTimeout(() => (this.#leaving = false), 10_000);
    });
    window.addEventListener("pageshow", () => (this.#leaving = false));
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.save());
    window.addEventListener("online", () => this.save());
    this.#offerKept();
    if (area.value !== this.saved) this.#soon(PAUSE_MS);
  }

  #setRevision(revision) {
    this.revision = String(revision);
    const field = this.area.form?.elements.namedItem("revision");
    if (field) field.value = this.revision;
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
  }

  #soon(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), wait);
  }

  /** Post the draft. Never submits. One request at a time, so that revisions follow each other. */
  async save() {
    clearTimeout(this.#timer);
    if (this.#conflict || this.#leaving) return;
    if (this.#saving) {
      this.#again = true;
      return;
    }
    const text = this.area.value;
    if (text === this.saved) return;
    this.#saving = true;
    this.#again = false;
    try {
      await this.#post(text);
    } catch {
      this.#keep(text);
      this.say("Not saved: the site cannot be reached. Your code is kept in this browser, and saving is tried again.", true);
      this.#soon(RETRY_MS);
    } finally {
      this.#saving = false;
      if (this.#again) this.save();
    }
  }

  async #post(text) {
    const answer = await fetch(this.url, {
      method: "POST",
      body: new URLSearchParams({ text, revision: this.revision }),
      headers: { "X-CSRFToken": token(), Accept: "application/json" },
      redirect: "manual",
      keepalive: text.length < 60_000,
    });
    if (answer.ok) {
      this.#setRevision((await answer.json()).revision);
      this.saved = text;
      remember(`draft:${this.url}`, null);
      const time = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
      this.say(`Draft saved, ${time}`);
    } else if (answer.status === 409) {
      this.#keep(text);
      this.#showConflict(await answer.json());
    } else if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) {
      this.#keep(text);
      this.say("Not saved: you are signed out. Your code is kept in this browser: sign in in another tab, then press Ctrl+S here.", true);
    } else if (answer.status === 413 || answer.status === 400) {
      this.say("Not saved: the code is larger than this lab accepts.", true);
    } else {
      throw new Error(String(answer.status));
    }
  }

  #keep(text) {
    remember(`draft:${this.url}`, text);
  }

  #offerKept() {
    const kept = recall(`draft:${this.url}`);
    if (kept === null) return;
    if (kept === this.area.value) {
      remember(`draft:${this.url}`, null);
      return;
    }
    this.#choose("This browser holds code that was never saved to your account.", kept, [
      ["Use it", () => this.replace(kept)],
      ["Drop it", () => remember(`draft:${this.url}`, null)],
    ]);
  }

  #showConflict({ theirs: other, revision }) {
    this.#conflict = true;
    this.say("Not saved: see above the editor.", true);
    const settle = (text) => {
      this.#conflict = false;
      this.#setRevision(revision);
      this.saved = other;
      if (text !== this.area.value) this.replace(text);
      if (text === other) remember(`draft:${this.url}`, null);
      this.save();
    };
    this.#choose("Another tab or device saved different code since this page was opened. Both are still here: the other one is below, yours is in the editor.", other, [
      ["Keep what is in this editor", () => settle(this.area.value)],
      ["Take the other", () => settle(other)],
    ]);
  }

  #choose(sentence, text, answers) {
    const box = document.createElement("div");
    box.className = "note warn";
    box.setAttribute("role", "alert");
    const shown = document.createElement("details");
    shown.append(Object.assign(document.createElement("summary"), { textContent: "Show that code" }), Object.assign(document.createElement("pre"), { textContent: text }));
    const actions = document.createElement("div");
    actions.className = "actions";
    for (const [label, act] of answers) {
      const made = Object.assign(document.createElement("button"), { type: "button", className: "btn quiet small", textContent: label });
      made.addEventListener("click", () => {
        this.choice.replaceChildren();
        act();
      });
      actions.append(made);
    }
    box.append(Object.assign(document.createElement("p"), { textContent: sentence }), shown, actions);
    this.choice.replaceChildren(box);
  }
}
