// Paints an SVG of ours onto a canvas shape by shape: the content policy lets no image be loaded from memory, and none is needed.
const SCALE = 2;

function paint(context, shape, style) {
  const number = (name) => Number(shape.getAttribute(name) ?? 0);
  context.globalAlpha = Number(style.opacity) * (Number(style.fillOpacity) || 1);
  context.fillStyle = style.fill;
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
    context.fillText(shape.textContent, number("x"), number("y"));
  } else if (path) {
    const made = path();
    if (style.fill !== "none") context.fill(made);
    if (style.stroke !== "none") context.stroke(made);
  }
}

/** A PNG of the picture with its title above and its colours as they are on the screen. */
export async function picture(svg, title) {
  const { width, height } = svg.viewBox.baseVal;
  const head = 30;
  const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: (height + head) * SCALE });
  const context = canvas.getContext("2d");
  const page = getComputedStyle(document.body);
  context.scale(SCALE, SCALE);
  context.fillStyle = page.backgroundColor;
  context.fillRect(0, 0, width, height + head);
  context.fillStyle = page.color;
  context.font = `600 14px ${getComputedStyle(svg.querySelector("text")).fontFamily}`;
  context.fillText(title, 12, 20, width - 24);
  context.translate(0, head);
  for (const shape of svg.querySelectorAll("path, rect, circle, line, text")) {
    const style = getComputedStyle(shape);
    if (style.visibility !== "hidden") paint(context, shape, style);
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

export function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
