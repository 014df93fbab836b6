// The keys that work on every page: `?` lists them, `/` searches. Both can be turned off.
import { recall, remember } from "./store.js";

const enabled = () => recall("keys") !== "off";
const typing = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest("input, textarea, select, .cm-editor") !== null);

const EVERYWHERE = [
  [["?"], "this list"],
  [["/"], "search"],
];
const IN_EDITOR = [
  [["Ctrl", "Enter"], "run the public cases"],
  [["Ctrl", "Shift", "Enter"], "submit to all cases"],
  [["Ctrl", "S"], "save the draft"],
  [["Ctrl", "F"], "find and replace"],
  [["F8"], "next line that the last verdict names; with Shift, the one before"],
  [["Tab"], "indent; after Esc, Tab leaves the editor"],
];
const IN_REVIEW = [
  [["Space"], "turn the card"],
  [["1", "2", "3", "4"], "again, hard, good, easy"],
  [["U"], "take the last grade back"],
];
const IN_PLOT = [
  [["←", "→"], "read the moment before or after; with Shift, ten at a time"],
  [["Home", "End"], "first or last moment"],
  [["P"], "the peak"],
];

function rows(title, keys) {
  const list = keys
    .map(([names, does]) => `<tr><td>${names.map((name) => `<kbd>${name}</kbd>`).join(" ")}</td><td>${does}</td></tr>`)
    .join("");
  return `<tbody><tr><th colspan="2" scope="rowgroup">${title}</th></tr>${list}</tbody>`;
}

function dialog() {
  const found = document.getElementById("keys");
  if (found) return found;
  const box = document.createElement("dialog");
  box.id = "keys";
  box.setAttribute("aria-labelledby", "keys-title");
  const parts = [rows("Everywhere", EVERYWHERE)];
  if (document.querySelector("[data-editor]")) parts.push(rows("In the editor (⌘ on a Mac)", IN_EDITOR));
  if (document.querySelector("[data-timeline]")) parts.push(rows("On a memory timeline", IN_PLOT));
  if (document.querySelector("[data-key]")) parts.push(rows("In a review", IN_REVIEW));
  box.innerHTML =
    `<h2 id="keys-title">Keys</h2><table>${parts.join("")}</table>` +
    `<p><label><input type="checkbox"> Keys are on</label></p>` +
    `<form method="dialog"><button class="btn">Close</button></form>`;
  const chosen = box.querySelector("input");
  chosen.checked = enabled();
  chosen.addEventListener("change", () => remember("keys", chosen.checked ? "on" : "off"));
  document.body.append(box);
  return box;
}

// The page of search in a box over this one: results come while one types, and Enter leads to the page itself.
function search() {
  const own = document.querySelector("main input[type=search]");
  if (own) {
    own.focus();
    own.select();
    return;
  }
  let box = document.getElementById("search-box");
  if (!box) {
    box = document.createElement("dialog");
    box.id = "search-box";
    box.setAttribute("aria-label", "Search");
    box.innerHTML =
      `<form action="/search/" role="search" hx-get="/search/" hx-trigger="input changed delay:250ms from:find input" hx-target="#search-found" hx-sync="this:replace">` +
      `<label class="unseen" for="search-q">Search lessons, questions, labs, calculators and key terms</label>` +
      `<input type="search" id="search-q" name="q" maxlength="200" autocomplete="off" spellcheck="false" placeholder="Lessons, questions, labs, calculators, key terms">` +
      `<button class="btn">Search</button></form><div id="search-found" aria-live="polite"></div>`;
    box.addEventListener("click", (event) => event.target === box && box.close());
    // in a search field the key would empty the field first
    box.addEventListener("keydown", (event) => event.key === "Escape" && box.close());
    document.body.append(box);
    window.htmx?.process(box);
  }
  if (!box.open) box.showModal();
  box.querySelector("input").select();
}

for (const button of document.querySelectorAll("[data-keys]")) {
  button.hidden = false;
  button.addEventListener("click", () => dialog().showModal());
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || !enabled()) return;
  if (event.key === "?") {
    event.preventDefault();
    dialog().showModal();
  } else if (event.key === "/") {
    event.preventDefault();
    search();
  }
});
