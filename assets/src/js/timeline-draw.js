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

/** Bytes to three significant digits, exactly as grader.timeline writes them: "48.1 MiB". */
export function bytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let size = count;
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  if (unit === 0) return `${count.toLocaleString("en-GB")} byte${Math.abs(count) === 1 ? "" : "s"}`;
  const digits = Math.abs(size) < 9.995 ? 2 : Math.abs(size) < 99.95 ? 1 : 0;
  return `${size.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${units[unit]}`;
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
  const name = main.phases[phase]?.name;
  const match = other.phases[phase]?.name === name ? phase : other.phases.findIndex((one) => one.name === name);
  if (phase < 0 || match < 0) return Math.min(other.total.length - 1, Math.round((index / main.total.length) * other.total.length));
  const to = bounds(other);
  const share = (index - from[phase]) / Math.max(1, from[phase + 1] - from[phase]);
  return Math.min(to[match + 1] - 1, to[match] + Math.round(share * (to[match + 1] - to[match])));
}

/** The share of the width each phase takes. Points are allocations, not seconds, and an optimiser makes thousands of small ones. */
function shares(run) {
  const ends = bounds(run);
  const counts = run.phases.map((phase, index) => ends[index + 1] - ends[index]);
  const main = counts.filter((_, index) => ["forward", "backward"].includes(run.phases[index].name)).reduce((sum, count) => sum + count, 0);
  const capped = counts.map((count, index) => (main && !["forward", "backward"].includes(run.phases[index].name) ? Math.min(count, main / 4) : count));
  const whole = capped.reduce((sum, count) => sum + count, 0) || 1;
  let sum = 0;
  return [0, ...capped.map((count) => (sum += count) / whole)];
}

/** Where a moment stands in the width, 0 to 1, and which moment stands at a place. */
function scale(run) {
  const [ends, cuts] = [bounds(run), shares(run)];
  return {
    cuts,
    begin(index) {
      const phase = Math.max(0, run.phases.findLastIndex((one) => one.start <= index));
      return cuts[phase] + ((index - ends[phase]) / Math.max(1, ends[phase + 1] - ends[phase])) * (cuts[phase + 1] - cuts[phase]);
    },
    momentAt(share) {
      const phase = Math.max(0, Math.min(run.phases.length - 1, cuts.findLastIndex((cut) => cut <= share)));
      const within = (share - cuts[phase]) / (cuts[phase + 1] - cuts[phase]);
      return Math.max(ends[phase], Math.min(ends[phase + 1] - 1, ends[phase] + Math.floor(within * (ends[phase + 1] - ends[phase]))));
    },
  };
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

/** Spreading tens of thousands of values over the arguments of Math.max would pass what a call can take. */
const highestOf = (values) => values.reduce((most, value) => (value > most ? value : most), 0);

/** The moments that are drawn: of all that fall on one pixel the first, the lowest, the highest and the last. */
function drawnOf(lefts, heights, always) {
  const kept = new Set([always]);
  for (let from = 0, to = 0; from < lefts.length; from = to) {
    let [low, high] = [from, from];
    for (to = from; to < lefts.length && Math.floor(lefts[to]) === Math.floor(lefts[from]); to += 1) {
      if (heights[to] < heights[low]) low = to;
      if (heights[to] > heights[high]) high = to;
    }
    for (const index of [from, low, high, to - 1]) kept.add(index);
  }
  return [...kept].sort((a, b) => a - b);
}

export function draw(series, { width, height, hidden, peakText, hatch }) {
  const { main } = series;
  const lines = series.lines.filter((line) => !hidden.has(line.key));
  const kinds = main.kinds.filter((kind) => !hidden.has(kind) && main.live[kind].some((value) => value > 0));
  const stacked = main.total.map((_, index) => kinds.reduce((sum, kind) => sum + Math.max(0, main.live[kind][index]), 0));
  const highest = Math.max(1, highestOf(stacked), ...lines.map((line) => highestOf(line.total)));
  const [unit, size] = UNITS.find(([, size]) => highest >= size) ?? UNITS.at(-1);
  const box = { left: 48, right: width - 12, top: 24, bottom: height - 26 };
  const top = highest * 1.08;
  const x = (share) => box.left + share * (box.right - box.left);
  const y = (count) => box.bottom - (Math.max(0, count) / top) * (box.bottom - box.top);
  const across = scale(main);
  const own = (index) => x(across.begin(index));
  const svg = node("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });

  main.phases.forEach((phase, index) => {
    const [left, right] = [x(across.cuts[index]), x(across.cuts[index + 1])];
    if (index % 2 === 0) svg.append(node("rect", { class: "band", x: left, y: box.top, width: right - left, height: box.bottom - box.top }));
    if (right - left > phase.name.length * 7) svg.append(node("text", { x: (left + right) / 2, y: height - 8, "text-anchor": "middle" }, phase.name));
  });
  for (const value of ticks(top / size, height < 240 ? 3 : 5)) {
    svg.append(node("line", { class: "grid", x1: box.left, x2: box.right, y1: y(value * size), y2: y(value * size) }));
    svg.append(node("text", { x: box.left - 8, y: y(value * size) + 4, "text-anchor": "end" }, value.toLocaleString("en-GB")));
  }
  svg.append(node("text", { x: box.left, y: 15 }, `${unit} live`));

  const places = main.total.map((_, index) => x(across.begin(index)));
  const shown = drawnOf(places, stacked, main.peak_index);
  const lefts = shown.map((index) => places[index]);
  let under = new Array(shown.length).fill(0);
  for (const kind of kinds) {
    const over = under.map((below, number) => below + Math.max(0, main.live[kind][shown[number]]));
    const d = `M${[...steps(lefts, over, y, box.right), ...steps(lefts, under, y, box.right).reverse()].join("L")}Z`;
    svg.append(node("path", { class: `m-${kind}`, d }));
    if (hatch(kind)) svg.append(node("path", { fill: `url(#${hatch(kind)})`, d }));
    under = over;
  }
  for (const line of lines) {
    const along = line.total.map((_, index) => x(across.begin(momentAt(line, index, main))));
    const drawn = drawnOf(along, line.total, line.peak_index ?? 0);
    const corners = steps(drawn.map((index) => along[index]), drawn.map((index) => line.total[index]), y, box.right);
    svg.append(node("path", { class: `line line-${line.key}`, d: `M${corners.join("L")}` }));
  }
  const drawn = main.kinds.filter((kind) => main.live[kind].some((value) => value > 0));
  labels(svg, { main, lines, stacked, peakText, whole: kinds.length === drawn.length, own, y, box });

  const cursor = node("line", { class: "cursor", y1: box.top, y2: box.bottom, visibility: "hidden" });
  svg.append(cursor);
  return {
    svg,
    indexAt: (px) => across.momentAt(Math.min(1, Math.max(0, (px - box.left) / (box.right - box.left)))),
    mark(index) {
      cursor.setAttribute("visibility", index === null ? "hidden" : "visible");
      if (index === null) return;
      cursor.setAttribute("x1", own(index));
      cursor.setAttribute("x2", own(index));
    },
  };
}

/** The corners of a step line: a value holds until the next point. */
function steps(lefts, values, y, right) {
  const corners = [];
  let last = null;
  values.forEach((value, index) => {
    const high = y(value).toFixed(1);
    if (high === last) return;
    const left = lefts[index].toFixed(1);
    if (last !== null) corners.push(`${left},${last}`);
    corners.push(`${left},${high}`);
    last = high;
  });
  corners.push(`${right.toFixed(1)},${last}`);
  return corners;
}

/** A swatch of the key with its kind's pattern. */
export function tile(className, pattern) {
  const svg = node("svg", { width: 12, height: 12, class: "swatch", "aria-hidden": "true" });
  svg.append(node("rect", { class: className, width: 12, height: 12, rx: 2 }), node("rect", { fill: `url(#${pattern})`, width: 12, height: 12, rx: 2 }));
  return svg;
}

/** Write a label beside a point, within the plot and clear of the labels already there. */
function label(svg, taken, box, { at, high, text, className, size }) {
  const wide = text.length * size;
  const left = Math.max(box.left + 4, at + 9 + wide > box.right ? Math.min(at - 9 - wide, box.right - wide) : at + 9);
  const clashes = (y) => taken.some((one) => Math.abs(one.y - y) < 15 && one.left < left + wide && left < one.left + one.wide);
  let y = Math.max(box.top + 12, high);
  for (let step = 1; clashes(y) && step < 12; step += 1) y = Math.max(box.top + 12, high + (step % 2 ? -1 : 1) * Math.ceil(step / 2) * 15);
  taken.push({ left, wide, y });
  svg.append(node("text", { class: className, x: left, y }, text));
}

function labels(svg, { main, lines, stacked, peakText, whole, own, y, box }) {
  const taken = [];
  if (whole) {
    const [at, high] = [own(main.peak_index), y(stacked[main.peak_index])];
    const short = `peak ${bytes(main.total[main.peak_index])}`;
    const text = peakText && peakText.length * 6.8 < box.right - box.left ? peakText : short;
    svg.append(node("circle", { class: "peak", cx: at, cy: high, r: 4 }));
    label(svg, taken, box, { at, high: high - 9, text, className: "peaktext", size: 6.8 });
  }
  for (const line of lines) {
    const peak = line.total.indexOf(highestOf(line.total));
    const text = `${line.label} ${bytes(line.total[peak])}`;
    label(svg, taken, box, { at: own(momentAt(line, peak, main)), high: y(line.total[peak]) - 6, text, className: "onplot", size: 6.4 });
  }
}
