// Paints an SVG of ours onto a canvas shape by shape: the content policy lets no image be loaded from memory, and none is needed.
const SCALE = 2;

/** What a fill means to a canvas: a colour, or a pattern painted once as a tile. */
function filling(context, fill) {
  const id = /^url\("?#([^")]+)/.exec(fill)?.[1];
  if (!id) return fill;
  const pattern = document.getElementById(id);
  const size = pattern.width.baseVal.value * SCALE;
  const tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const brush = tile.getContext("2d");
  brush.scale(SCALE, SCALE);
  for (const shape of pattern.querySelectorAll("path")) {
    const style = getComputedStyle(shape);
    brush.strokeStyle = style.stroke;
    brush.globalAlpha = Number(style.strokeOpacity);
    brush.lineWidth = parseFloat(style.strokeWidth);
    brush.stroke(new Path2D(shape.getAttribute("d")));
  }
  const made = context.createPattern(tile, "repeat");
  made.setTransform(new DOMMatrix().scale(1 / SCALE));
  return made;
}

function paint(context, shape, style) {
  const number = (name) => Number(shape.getAttribute(name) ?? 0);
  context.globalAlpha = Number(style.opacity) * (Number(style.fillOpacity) || 1);
  context.fillStyle = filling(context, style.fill);
  context.strokeStyle = style.stroke;
  context.lineWidth = parseFloat(style.strokeWidth) || 1;
  context.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat));
  const path = {
    path: () => new Path2D(shape.getAttribute("d")),
    rect: () => { const made = new Path2D(); made.rect(number("x"), number("y"), number("width"), number("height")); return made; },
    circle: () => { const made = new Path2D(); made.arc(number("cx"), number("cy"), number("r"), 0, 7); return made; },
    line: () => new Path2D(`M${number("x1")},${number("y1")}L${number("x2")},${number("y2")}`),
  }[shape.tagName];
  if (shape.tagName === "text") {
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    context.textAlign = { middle: "center", end: "right" }[style.textAnchor] ?? "left";
    if (style.stroke !== "none") context.strokeText(shape.textContent, number("x"), number("y"));
    context.fillText(shape.textContent, number("x"), number("y"));
  } else if (path) {
    const made = path();
    if (style.fill !== "none") context.fill(made);
    if (style.stroke !== "none") context.stroke(made);
  }
}

function heading(context, title, room) {
  const words = title.split(" ");
  while (words.length > 1 && context.measureText(`${words.join(" ")}…`).width > room) words.pop();
  return words.join(" ") === title ? title : `${words.join(" ")}…`;
}

/** Write the key in rows under the picture, and return the height it takes. */
function legend(context, entries, { width, top, ink }) {
  let [x, y] = [12, top + 18];
  for (const { label, colour, dashed, line } of entries) {
    const wide = context.measureText(label).width + 34;
    if (x + wide > width && x > 12) [x, y] = [12, y + 20];
    context.globalAlpha = 1;
    context.fillStyle = context.strokeStyle = colour;
    context.setLineDash(dashed ? [4, 3] : []);
    context.lineWidth = 2;
    if (line) context.stroke(new Path2D(`M${x},${y - 4}h14`));
    else context.fillRect(x, y - 10, 11, 11);
    context.fillStyle = ink;
    context.fillText(label, x + 19, y);
    x += wide;
  }
  return y - top + 14;
}

/** A PNG of the picture with its title above, its key below, and its colours as they are on the screen. */
export async function picture(svg, title, entries) {
  const { width, height } = svg.viewBox.baseVal;
  const head = 30;
  const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: 1 });
  const context = canvas.getContext("2d");
  const page = getComputedStyle(document.body);
  const family = getComputedStyle(svg.querySelector("text")).fontFamily;
  const small = `12px ${family}`;
  context.font = small;
  const foot = legend(context, entries, { width, top: 0, ink: page.color });
  canvas.height = (head + height + foot) * SCALE;
  context.scale(SCALE, SCALE);
  context.fillStyle = page.backgroundColor;
  context.fillRect(0, 0, width, head + height + foot);
  context.fillStyle = page.color;
  context.font = `600 14px ${family}`;
  context.fillText(heading(context, title, width - 24), 12, 20);
  context.font = small;
  legend(context, entries, { width, top: head + height, ink: page.color });
  context.translate(0, head);
  for (const shape of svg.querySelectorAll(":scope > :is(path, rect, circle, line:not(.cursor), text)")) paint(context, shape, getComputedStyle(shape));
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

export function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
