// The keys that work on every page: `?` lists them, `/` goes to the search box. Both can be turned off.
import { recall, remember } from "./store.js";

const enabled = () => recall("keys") !== "off";
const typing = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest("input, textarea, select, .cm-editor") !== null);

const EVERYWHERE = [
  [["?"], "this list"],
  [["/"], "to the search box, where the page has one"],
];
const IN_EDITOR = [
  [["Ctrl", "Enter"], "run the public cases"],
  [["Ctrl", "Shift", "Enter"], "submit to all cases"],
  [["Ctrl", "S"], "save the draft"],
  [["Ctrl", "F"], "find and replace"],
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
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});
