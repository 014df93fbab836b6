// A slider below each number of a calculator: the same field by another hand. Typing stays exact and has no bounds; the
// slider goes through the values around what was typed. It has no name, so it is never sent.
const OCTAVES = 6;
const STEPS_AN_OCTAVE = 8;
const NUMBER = /^\s*(\d[\d,_ ]*(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*(.*?)\s*$/;

function read(text) {
  const found = NUMBER.exec(text);
  const number = found ? Number(found[1].replace(/[,_ ]/g, "")) : NaN;
  return number > 0 && Number.isFinite(number) ? { number, suffix: found[2] } : null;
}

// The values that the slider stops at, in order. Whole numbers that are powers of two go on in powers of two and the
// halves between; fractions go by hundredths; all else by ratios, at three significant digits.
export function stops({ number, suffix }, { kind, unit, min, max }) {
  if (unit === "fraction") {
    const whole = suffix === "%" ? 100 : 1;
    return Array.from({ length: 100 }, (_, at) => Number((((at + 1) / 100) * whole).toPrecision(3)));
  }
  const whole = kind === "int";
  const binary = whole && Number.isInteger(Math.log2(number));
  const made = [number];
  for (let at = -OCTAVES * STEPS_AN_OCTAVE; at <= OCTAVES * STEPS_AN_OCTAVE; at += 1) {
    const ratio = at / STEPS_AN_OCTAVE;
    if (binary) {
      if (Number.isInteger(ratio)) made.push(number * 2 ** ratio, number * 1.5 * 2 ** ratio);
    } else {
      const value = Number((number * 2 ** ratio).toPrecision(3));
      made.push(whole ? Math.round(value) : value);
    }
  }
  // Bounds are in the field's own unit.
  const bounded = suffix === "" || suffix === unit;
  const low = bounded && min !== "" ? Number(min) : 0;
  const high = bounded && max !== "" ? Number(max) : Infinity;
  const kept = made.filter((value) => value > 0 && value >= low && value <= high && (!whole || Number.isInteger(value)));
  return [...new Set(kept)].sort((a, b) => a - b);
}

function nearest(values, number) {
  let best = 0;
  values.forEach((value, at) => {
    if (Math.abs(value - number) < Math.abs(values[best] - number)) best = at;
  });
  return best;
}

export function addSlider(input) {
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = "0";
  slider.step = "1";
  slider.setAttribute("aria-label", `${input.labels[0].textContent.trim()}, slider`);
  const place = document.createElement("span");
  place.className = "dial";
  input.replaceWith(place);
  place.append(input, slider);
  let values = [];
  let suffix = "";

  function follow() {
    const typed = read(input.value);
    slider.hidden = typed === null;
    if (!typed) return;
    suffix = typed.suffix;
    values = stops(typed, { kind: input.dataset.kind, unit: input.dataset.unit, min: input.dataset.min, max: input.dataset.max });
    slider.max = String(values.length - 1);
    slider.value = String(nearest(values, typed.number));
    slider.setAttribute("aria-valuetext", input.value);
  }

  let sliding = false;
  slider.addEventListener("input", () => {
    const gap = suffix && !suffix.startsWith("%") && suffix.length > 1 ? " " : "";
    input.value = `${values[Number(slider.value)]}${suffix === "%" ? " %" : gap + suffix}`;
    slider.setAttribute("aria-valuetext", input.value);
    sliding = true;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    sliding = false;
  });
  input.addEventListener("input", () => {
    if (!sliding) follow();
  });
  follow();
}
