// Draws a memory timeline as SVG: bytes stacked by kind, other runs as thin lines, phases and peak named.
const NS = "http://www.w3.org/2000/svg";
const UNITS = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["bytes", 1]];

export const KIND_NAMES = {
  saved_activation: "saved activations",
  replay_workspace: "replay workspace",
  gradient: "gradients",
  temporary: "temporaries",
  input: "inputs",
  optimiser_state: "optimiser state",
  parameter: "parameters",
};
const RUN_NAMES = { yours: "your run", plain: "plain run", reference: "reference" };

export function bytes(count) {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(count) >= size) ?? UNITS.at(-1);
  const value = count / size;
  if (size === 1) return `${value.toLocaleString("en-GB")} bytes`;
  return `${value.toLocaleString("en-GB", { maximumSignificantDigits: Math.abs(value) >= 100 ? 4 : 3 })} ${unit}`;
}

/** One run, or several by name, as {main, lines}; null where there is nothing to draw. */
export function seriesOf(data) {
  const named = data.total ? { yours: data } : data;
  const runs = Object.entries(named)
    .filter(([, run]) => run?.total?.length)
    .map(([key, run]) => ({ ...run, key, label: run.label ?? RUN_NAMES[key] ?? key }));
  if (!runs.length) return null;
  const main = runs.find((run) => run.key === "yours") ?? runs[0];
  return { main, lines: runs.filter((run) => run !== main) };
}

/** Where a run stands, as fractions: phases line up by name, so that forward is compared with forward. */
function bounds(run) {
  return [...run.phases.map((phase) => phase.start), run.total.length];
}

export function momentAt(main, index, other) {
  const phase = main.phases.findLastIndex((one) => one.start <= index);
  const from = bounds(main);
  const match = other.phases.findIndex((one) => one.name === main.phases[phase]?.name);
  if (phase < 0 || match < 0) return Math.min(other.total.length - 1, Math.round((index / main.total.length) * other.total.length));
  const to = bounds(other);
  const share = (index - from[phase]) / Math.max(1, from[phase + 1] - from[phase]);
  return Math.min(to[match + 1] - 1, to[match] + Math.round(share * (to[match + 1] - to[match])));
}

function node(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function ticks(top, rows) {
  const raw = top / rows;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, index) => index * step);
}

export function draw(series, { width, height, hidden, peakText }) {
  const { main } = series;
  const lines = series.lines.filter((line) => !hidden.has(line.key));
  const kinds = main.kinds.filter((kind) => !hidden.has(kind) && main.live[kind].some((value) => value > 0));
  const stacked = main.total.map((_, index) => kinds.reduce((sum, kind) => sum + Math.max(0, main.live[kind][index]), 0));
  const highest = Math.max(1, ...stacked, ...lines.flatMap((line) => Math.max(...line.total)));
  const [unit, size] = UNITS.find(([, size]) => highest >= size) ?? UNITS.at(-1);
  const box = { left: 48, right: width - 12, top: 24, bottom: height - 26 };
  const top = highest * 1.08;
  const x = (share) => box.left + share * (box.right - box.left);
  const y = (count) => box.bottom - (Math.max(0, count) / top) * (box.bottom - box.top);
  const own = (index) => x((index + 0.5) / main.total.length);
  const svg = node("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });

  const from = bounds(main);
  main.phases.forEach((phase, index) => {
    const [left, right] = [x(from[index] / main.total.length), x(from[index + 1] / main.total.length)];
    if (index % 2 === 0) svg.append(node("rect", { class: "band", x: left, y: box.top, width: right - left, height: box.bottom - box.top }));
    if (right - left > phase.name.length * 7) svg.append(node("text", { x: (left + right) / 2, y: height - 8, "text-anchor": "middle" }, phase.name));
  });
  for (const value of ticks(top / size, height < 240 ? 3 : 5)) {
    svg.append(node("line", { class: "grid", x1: box.left, x2: box.right, y1: y(value * size), y2: y(value * size) }));
    svg.append(node("text", { x: box.left - 8, y: y(value * size) + 4, "text-anchor": "end" }, value.toLocaleString("en-GB")));
  }
  svg.append(node("text", { x: box.left, y: 15 }, `${unit} live`));

  const base = new Array(main.total.length).fill(0);
  for (const kind of kinds) {
    const lower = base.map((value, index) => `${own(index).toFixed(1)},${y(value).toFixed(1)}`).reverse();
    const upper = base.map((value, index) => {
      base[index] = value + Math.max(0, main.live[kind][index]);
      return `${own(index).toFixed(1)},${y(base[index]).toFixed(1)}`;
    });
    svg.append(node("path", { class: `m-${kind}`, d: `M${upper.join("L")}L${lower.join("L")}Z` }));
  }

  for (const line of lines) {
    const path = line.total.map((count, index) => `${own(momentAt(line, index, main)).toFixed(1)},${y(count).toFixed(1)}`);
    svg.append(node("path", { class: `line line-${line.key}`, d: `M${path.join("L")}` }));
  }
  labelLines(svg, lines, main, { own, y, box });
  labelPeak(svg, main, stacked, peakText, { own, y, box, whole: kinds.length === main.kinds.filter((kind) => main.live[kind].some((value) => value > 0)).length });

  const cursor = node("line", { class: "cursor", y1: box.top, y2: box.bottom, visibility: "hidden" });
  svg.append(cursor);
  return {
    svg,
    indexAt: (px) => Math.min(main.total.length - 1, Math.max(0, Math.floor(((px - box.left) / (box.right - box.left)) * main.total.length))),
    mark(index) {
      cursor.setAttribute("visibility", index === null ? "hidden" : "visible");
      if (index === null) return;
      cursor.setAttribute("x1", own(index));
      cursor.setAttribute("x2", own(index));
    },
  };
}

function labelLines(svg, lines, main, { own, y, box }) {
  const taken = [];
  for (const line of lines) {
    const peak = line.total.indexOf(Math.max(...line.total));
    const text = `${line.label} ${bytes(line.total[peak])}`;
    const wide = text.length * 6.4;
    const at = own(momentAt(line, peak, main));
    const left = at + 10 + wide > box.right ? at - 10 - wide : at + 10;
    let high = Math.max(box.top + 12, y(line.total[peak]) + 4);
    while (taken.some((other) => Math.abs(other - high) < 15)) high += 15;
    taken.push(high);
    svg.append(node("text", { class: "onplot", x: Math.max(box.left + 4, left), y: high }, text));
  }
}

function labelPeak(svg, main, stacked, peakText, { own, y, box, whole }) {
  if (!whole) return;
  const [at, high] = [own(main.peak_index), y(stacked[main.peak_index])];
  const room = Math.floor((box.right - box.left) / 6.8);
  const full = peakText || `peak ${bytes(main.total[main.peak_index])}`;
  const text = full.length > room ? `peak ${bytes(main.total[main.peak_index])}` : full;
  const wide = text.length * 6.6;
  svg.append(node("circle", { class: "peak", cx: at, cy: high, r: 4 }));
  const left = at + 9 + wide > box.right ? Math.max(box.left + 4, Math.min(at - wide / 2, box.right - wide)) : at + 9;
  svg.append(node("text", { class: "peaktext", x: left, y: Math.max(box.top + 10, high - 9) }, text));
}
