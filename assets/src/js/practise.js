// Practising: the clock that someone answers against, and the keys of a review. Without it the clock says when it ends
// and every button is a button.
import { recall } from "./store.js";

const typing = (target) => target instanceof HTMLElement && (target.isContentEditable || target.closest("input:not([type=radio], [type=checkbox]), textarea, select") !== null);

// As courses/timing.py spells it.
function spell(seconds) {
  const minutes = Math.floor(seconds / 60);
  const two = (number) => String(number).padStart(2, "0");
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  if (minutes >= 10) return `${minutes} min`;
  return minutes ? `${minutes} min ${two(seconds % 60)} s` : `${seconds} s`;
}

for (const clock of document.querySelectorAll("[data-clock]")) {
  // What is left came from the server: its clock counts, and this one only moves it on.
  const end = performance.now() + 1000 * Number(clock.dataset.clock);
  const shown = clock.querySelector("[data-left]");
  const said = document.createElement("span");
  said.className = "unseen";
  said.setAttribute("role", "status");
  clock.append(said);
  // aloud a few times only, not every second
  const aloud = [300, 60, 0];
  let before = Infinity;
  const tick = () => {
    const left = Math.trunc((end - performance.now()) / 1000);
    shown.textContent = left >= 0 ? `${spell(left)} left` : `${spell(-left)} over`;
    clock.classList.toggle("over", left < 0);
    if (aloud.some((mark) => left <= mark && before > mark && before !== Infinity)) said.textContent = left > 0 ? shown.textContent : "The time is over; you can go on.";
    before = left;
  };
  tick();
  setInterval(tick, 1000);
}

// 1 to 4 grade, Space shows the other side, U takes the last grade back: they press the page's own buttons.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target) || recall("keys") === "off") return;
  const button = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key.toLowerCase());
  if (!button || button.disabled) return;
  // Space and Enter already press what has the focus
  if (event.key === " " && event.target instanceof HTMLElement && event.target.closest("button, a, summary, input") !== null) return;
  event.preventDefault();
  button.click();
});
