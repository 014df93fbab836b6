// Put on every page by `content preview` (courses/previewing.py). The policy of the pages allows no inline styles;
// setting them one by one from a script it allows.
let seen = null;
let panel = null;
function show(problems) {
  panel?.remove();
  panel = null;
  if (!problems.length) return;
  panel = document.createElement("div");
  panel.id = "preview-problems";
  panel.setAttribute("role", "alert");
  panel.tabIndex = 0;
  Object.assign(panel.style, {
    position: "fixed", inset: "auto 0 0 0", maxHeight: "50vh", overflow: "auto", zIndex: "1000", padding: "1rem",
    background: "#7a1f1f", color: "#ffffff", font: "0.9rem/1.5 monospace", whiteSpace: "pre-wrap",
  });
  panel.textContent = problems
    .map((each) => `${each.file}:${each.line}: ${each.message}\n    cure: ${each.cure}`)
    .join("\n\n");
  document.body.append(panel);
}
let shown = "[]";
async function look() {
  try {
    const state = await (await fetch("/-/preview.json")).json();
    if (seen !== null && state.version !== seen) return location.reload();
    seen = state.version;
    const problems = JSON.stringify(state.problems);
    if (problems !== shown) show(state.problems);
    shown = problems;
  } catch {
    // the preview is being restarted
  }
  setTimeout(look, 500);
}
look();
