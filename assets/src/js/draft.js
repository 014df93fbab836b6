// Saves what is typed to the server while it is typed, and to this browser when the server cannot be reached.
import { Aside } from "./aside.js";
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
    this.mergeUrl = area.dataset.mergeUrl;
    // The attribute and the default value are what the server sent; a browser may have filled the rest from an earlier visit.
    this.#setRevision(area.dataset.revision || "0");
    this.saved = area.defaultValue;
    this.status = document.createElement("p");
    this.status.className = "draft-status";
    this.status.setAttribute("role", "status");
    place.append(this.status);
    this.choice = document.createElement("div");
    place.after(this.choice);
    this.aside = new Aside(area, (text) => (text === null ? this.#forget() : this.replaceWhole(text)));

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

  /** Put another text in the place of all that is there, which is kept aside. */
  replaceWhole(text) {
    if (text === this.area.value) return;
    this.aside.keep(this.area.value);
    this.replace(text);
    this.save();
  }

  #forget() {
    this.aside.keep("");
    this.save();
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
    if (text === this.saved && this.aside.pending === null) return;
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

  #send(url, fields) {
    const body = new URLSearchParams(fields);
    return fetch(url, {
      method: "POST",
      body,
      headers: { "X-CSRFToken": token(), Accept: "application/json" },
      redirect: "manual",
      keepalive: body.toString().length < 60_000,
    });
  }

  async #post(text) {
    const aside = this.aside.toSend(text);
    const answer = await this.#send(this.url, { text, revision: this.revision, ...(aside === null ? {} : { aside }) });
    if (answer.ok) {
      this.aside.sent(aside);
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
      ["Use it", () => this.replaceWhole(kept)],
      ["Drop it", () => remember(`draft:${this.url}`, null)],
    ]);
  }

  async #showConflict({ theirs: other, revision }) {
    this.#conflict = true;
    this.say("Not saved: see above the editor.", true);
    const merge = await this.#merged();
    const settle = (text, aside, sentence) => {
      this.#conflict = false;
      this.#setRevision(revision);
      this.saved = other;
      this.aside.keep(aside);
      if (text !== this.area.value) this.replace(text);
      if (sentence) this.#tell(sentence);
      this.save();
    };
    const answers = [
      ["Keep what is in this editor", () => settle(this.area.value, other)],
      ["Take the other", () => settle(other, this.area.value)],
    ];
    if (merge) answers.push(["Merge the two", async () => this.#settleMerged(settle, merge)]);
    const sentence = "Another tab or device saved different code since this page was opened. Both are still here: yours is in the editor, and this is how the saved one differs. Whichever you choose, the other is kept below the editor.";
    this.#choose(sentence, other, answers, merge?.differences);
  }

  /** Both texts side by side and merged, from the server; null where it cannot say. */
  async #merged() {
    if (!this.mergeUrl) return null;
    try {
      const answer = await this.#send(this.mergeUrl, { text: this.area.value, base: this.saved });
      return answer.ok ? { of: this.area.value, ...(await answer.json()) } : null;
    } catch {
      return null;
    }
  }

  /** What was typed while the choice stood there belongs into the merge too. */
  async #settleMerged(settle, shown) {
    const merge = shown.of === this.area.value ? shown : await this.#merged();
    if (merge) settle(merge.merged, this.area.value, merge.sentence);
    else settle(this.area.value, "");
  }

  /** A sentence that stays until the places that it speaks of are settled. */
  #tell(sentence) {
    const said = Object.assign(document.createElement("p"), { className: "note", textContent: sentence });
    said.setAttribute("role", "status");
    this.choice.replaceChildren(said);
    const settled = () => {
      if (/^(<{7}|>{7})/m.test(this.area.value)) return;
      this.area.removeEventListener("input", settled);
      if (said.isConnected) said.remove();
    };
    this.area.addEventListener("input", settled);
  }

  #choose(sentence, text, answers, differences = "") {
    const box = document.createElement("div");
    box.className = "note warn";
    const said = Object.assign(document.createElement("p"), { textContent: sentence });
    said.setAttribute("role", "alert");
    const shown = document.createElement("details");
    shown.append(Object.assign(document.createElement("summary"), { textContent: "Show that code" }), Object.assign(document.createElement("pre"), { textContent: text }));
    // Drawn by the server, every line of it escaped there.
    const beside = Object.assign(document.createElement("div"), { innerHTML: differences });
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
    box.append(said, beside, shown, actions);
    this.choice.replaceChildren(box);
  }
}
