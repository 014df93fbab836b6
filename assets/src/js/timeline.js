// Upgrades <figure data-timeline>, and lets <figure data-plot> be saved: its server-drawn picture is drawn again at the width of the screen, and can be read at every moment.
import { bytes, draw, KIND_NAMES, momentAt, seriesOf, tile } from "./timeline-draw.js";
import { download, picture } from "./svg-to-png.js";

function csv(series) {
  const kinds = series.main.kinds;
  const names = ["run", "point", "phase", "total_bytes", ...kinds.map((kind) => `${kind}_bytes`)];
  const rows = [names.join(",")];
  for (const run of [series.main, ...series.lines]) {
    let phase = -1;
    run.total.forEach((total, index) => {
      while (run.phases[phase + 1]?.start <= index) phase += 1;
      rows.push([run.key, index, run.phases[phase]?.name ?? "", total, ...kinds.map((kind) => run.live?.[kind]?.[index] ?? "")].join(","));
    });
  }
  return `${rows.join("\n")}\n`;
}

function reading(series, index) {
  const { main } = series;
  const phase = main.phases.findLast((one) => one.start <= index)?.name ?? "";
  const kinds = main.kinds
    .filter((kind) => main.live[kind][index] !== 0)
    .map((kind) => `${KIND_NAMES[kind] ?? kind} ${bytes(main.live[kind][index])}`)
    .join(", ");
  const beside = series.lines.map((line) => `${line.label} ${bytes(line.total[momentAt(main, index, line)])}`).join(", ");
  const peak = index === main.peak_index ? ", the peak" : "";
  return `${phase}, moment ${(index + 1).toLocaleString("en-GB")} of ${main.total.length.toLocaleString("en-GB")}${peak}: ${bytes(main.total[index])} (${main.total[index].toLocaleString("en-GB")} bytes)${kinds ? ` = ${kinds}` : ""}${beside ? `. At the same place: ${beside}` : ""}`;
}

function toggles(series, hatch, hidden, changed) {
  const list = document.createElement("ul");
  list.className = "key toggles";
  const add = (key, label, mark) => {
    const item = document.createElement("li");
    const wrap = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(key);
      else hidden.add(key);
      changed();
    });
    item.dataset.key = key;
    const swatch = document.createElement("i");
    swatch.className = mark;
    wrap.append(box, hatch(key) ? tile(mark, hatch(key)) : swatch, label);
    item.append(wrap);
    list.append(item);
  };
  for (const kind of series.main.kinds) {
    if (series.main.live[kind].some((value) => value !== 0)) add(kind, KIND_NAMES[kind] ?? kind, `m-${kind}`);
  }
  for (const line of series.lines) add(line.key, line.label, `line-${line.key}`);
  return list;
}

function entries(key, hidden) {
  return [...key.children]
    .filter((item) => !hidden.has(item.dataset.key))
    .map((item) => {
      const tiled = item.querySelector("svg rect");
      if (tiled) return { label: item.textContent, colour: getComputedStyle(tiled).fill };
      const style = getComputedStyle(item.querySelector("i"));
      const line = style.borderTopStyle !== "none";
      return { label: item.textContent, colour: line ? style.borderTopColor : style.backgroundColor, line, dashed: style.borderTopStyle === "dashed" };
    });
}

function upgrade(figure) {
  if (figure.dataset.ready) return;
  const source = figure.querySelector("script[type='application/json']");
  const old = figure.querySelector("svg");
  if (!source || !old) return;
  figure.dataset.ready = "true";
  const series = seriesOf(JSON.parse(source.textContent));
  if (!series) return;
  // What the server's picture has already worked out: the sentence at the peak, and the patterns of the kinds.
  const peakText = old.querySelector(".peaktext")?.textContent ?? "";
  const defs = old.querySelector("defs");
  const hatch = (kind) => defs?.querySelector(`pattern[id$="-${kind}"]`)?.id;
  const title = figure.dataset.title || figure.querySelector("figcaption")?.textContent.trim() || "memory";
  const hidden = new Set();
  let at = null;

  const box = document.createElement("div");
  box.className = "plotbox";
  box.tabIndex = 0;
  box.setAttribute("role", "slider");
  box.setAttribute("aria-label", "Live bytes at a moment of the update");
  box.setAttribute("aria-valuemin", "1");
  box.setAttribute("aria-valuemax", String(series.main.total.length));
  old.replaceWith(box);
  const out = document.createElement("p");
  out.className = "reading";
  figure.querySelector(".key")?.remove();
  const key = toggles(series, hatch, hidden, () => render());
  box.after(out, key);

  let view = null;
  const render = () => {
    const width = Math.round(box.clientWidth);
    if (width < 120) return; // not laid out: closed, or squeezed while the page is printed
    view = draw(series, { width, height: Math.round(box.clientHeight), hidden, peakText, hatch });
    if (defs) view.svg.prepend(defs);
    box.replaceChildren(view.svg);
    point(at);
  };
  const point = (index) => {
    at = index;
    const shown = index ?? series.main.peak_index;
    const sentence = reading(series, shown);
    box.setAttribute("aria-valuenow", String(shown + 1));
    box.setAttribute("aria-valuetext", sentence);
    out.textContent = index === null ? "Point at the plot, or focus it and use the arrow keys, to read any moment." : sentence;
    view?.mark(index);
  };

  box.addEventListener("pointermove", (event) => view && point(view.indexAt(event.clientX - box.getBoundingClientRect().left)));
  box.addEventListener("pointerdown", (event) => view && point(view.indexAt(event.clientX - box.getBoundingClientRect().left)));
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = series.main.total.length - 1;
    const now = at ?? series.main.peak_index;
    const step = event.shiftKey ? 10 : 1;
    const to = {
      ArrowLeft: now - step, ArrowDown: now - step, ArrowRight: now + step, ArrowUp: now + step,
      PageUp: now + 50, PageDown: now - 50, Home: 0, End: last, p: series.main.peak_index, P: series.main.peak_index,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    point(Math.min(last, Math.max(0, to)));
  });

  const actions = document.createElement("p");
  actions.className = "downloads";
  const name = (figure.dataset.name || "memory-timeline").replace(/[^\w.-]+/g, "-");
  const add = (label, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "btn quiet small", textContent: label });
    made.addEventListener("click", act);
    actions.append(made);
  };
  add("Save as PNG", async () => download(await picture(box.querySelector("svg"), title, entries(key, hidden)), `${name}.png`));
  if (!figure.querySelector("a[href*='.csv']")) add("Save as CSV", () => download(new Blob([csv(series)], { type: "text/csv" }), `${name}.csv`));
  key.after(actions);

  render();
  let drawn = [box.clientWidth, box.clientHeight].join();
  new ResizeObserver(() => {
    const size = [box.clientWidth, box.clientHeight].join();
    if (size === drawn) return; // an observer also calls when it begins
    drawn = size;
    render();
  }).observe(box);
}

/** Drawing is work: a figure far down a page keeps the server's picture until the reader is within a screen of it. */
const near = new IntersectionObserver(
  (seen) =>
    seen.filter((each) => each.isIntersecting).forEach(({ target }) => {
      near.unobserve(target);
      setTimeout(upgrade, 0, target); // each in a task of its own, so that what is typed or pressed comes between
    }),
  { rootMargin: "100% 0px" },
);

/** The table under a picture as CSV: of a number the exact one, which is its title. */
function tableCsv(table) {
  const cell = (one) => `"${(one.title || one.textContent).trim().replaceAll('"', '""')}"`;
  return `${[...table.rows].map((row) => [...row.cells].map(cell).join(",")).join("\n")}\n`;
}

/** A picture that the server draws whole: only saving it is left to do here. */
function savable(figure) {
  if (figure.dataset.ready) return;
  figure.dataset.ready = "true";
  const name = figure.dataset.name.replace(/[^\w.-]+/g, "-");
  const actions = Object.assign(document.createElement("p"), { className: "downloads" });
  const add = (label, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "btn quiet small", textContent: label });
    made.addEventListener("click", act);
    actions.append(made);
  };
  add("Save as PNG", async () => {
    const shown = [...figure.querySelectorAll("svg.plot")].find((svg) => svg.getBoundingClientRect().width);
    download(await picture(shown, figure.dataset.title, []), `${name}.png`);
  });
  const table = figure.querySelector("table");
  if (table && !figure.querySelector("a[href*='.csv']")) add("Save as CSV", () => download(new Blob([tableCsv(table)], { type: "text/csv" }), `${name}.csv`));
  figure.querySelector("figcaption").before(actions);
}

const upgradeAll = (root) => {
  root.querySelectorAll("figure[data-timeline]:not([data-ready])").forEach((figure) => near.observe(figure));
  root.querySelectorAll("figure[data-plot]").forEach(savable);
};
upgradeAll(document);
document.addEventListener("htmx:load", (event) => upgradeAll(event.target.parentNode ?? document));
