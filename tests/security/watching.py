"""What a page must not do with texts that people typed: run them, or make elements of them."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

HOOK = """
window.ran = []; window.violations = [];
window.xss = () => window.ran.push(document.URL);
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""
# Handlers and addresses are judged by what they are, everything else by whether it came from the corpus, which says
# "xss" in each payload. Attributes that hold text only may say what they like.
SCAN = r"""
(root) => {
  const TEXT = new Set(["value", "placeholder", "title", "alt", "aria-label", "content", "data-text",
    "data-value", "data-peak"]);
  const ADDRESS = new Set(["href", "src", "action", "formaction", "data", "xlink:href", "srcset", "poster",
    "background", "cite", "ping"]);
  const TOKEN = /"X-CSRFToken": "\w+"/;  // random letters, which may be these three
  const NEVER = new Set(["script", "style", "iframe", "frame", "object", "embed", "applet", "base", "svg", "math",
    "link", "template", "form", "marquee", "foreignobject", "noscript", "plaintext", "xmp"]);
  const faults = [];
  for (const element of root.querySelectorAll("*")) {
    const tag = element.localName;
    const say = (what) => faults.push(`${what} in ${element.outerHTML.slice(0, 160)}`);
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) say("a handler");
      else if (/^(data-)?hx-on/.test(name) || name.startsWith("x-")) say("a handler of a library");
      else if (ADDRESS.has(name)) {
        const squeezed = value.replace(/[\s\u0000-\u0020]/g, "").toLowerCase();
        const scheme = /^([a-z][a-z0-9+.-]*):/.exec(squeezed);
        if (scheme && !["http", "https", "mailto", "data"].includes(scheme[1])) say("a bad address");
        if (scheme && scheme[1] === "data" && !squeezed.startsWith("data:image/")) say("a data address");
        if (name === "src" && /xss/.test(value)) say("something loaded");
      } else if (name === "srcdoc") say("a document inside");
      else if (/xss/i.test(value.replace(TOKEN, "")) && !TEXT.has(name)) say(`the attribute ${name}`);
    }
    if (tag === "base") say("a base");
    if (tag === "meta" && /refresh/i.test(element.getAttribute("http-equiv") || "")) say("a refresh");
    if (tag === "script" && element.type === "application/json") continue;
    if (tag === "svg" && element.classList.contains("plot")) continue; // ours, with names as its text
    if (NEVER.has(tag) && tag !== "form" && /xss/.test(element.textContent)) say(`a live <${tag}>`);
  }
  return faults;
}
"""
SCAN_TEXTS = f"""
(texts) => texts.map((text) => ({SCAN})(new DOMParser().parseFromString(text, "text/html")))
"""


def watched(context: BrowserContext) -> Page:
    """Return a page that notes what runs, and what only the content policy kept from running."""
    context.add_init_script(HOOK)
    page = context.new_page()
    page.set_default_timeout(60_000)
    return page


def look(page: Page, address: str, *, there: bool = False) -> list[str]:
    """Open an address, with a payload as its fragment too, and return what is wrong with what it made of the corpus.

    A page that must be `there` has to answer with 200.
    """
    said: list[str] = []

    def dialog(box: object) -> None:
        said.append("a dialog")
        box.dismiss()  # type: ignore[attr-defined]

    page.on("dialog", dialog)
    answer = page.goto(f"{address}#<img src=x onerror=xss()>")
    page.remove_listener("dialog", dialog)
    if not answer or answer.status >= 500 or (there and answer.status != 200):
        said.append(f"answered {answer and answer.status}")
    if "xss.example" in page.url:
        said.append(f"led to {page.url}")
    said += [f"ran: {each}" for each in page.evaluate("window.ran")]
    said += [f"stopped by the policy alone: {each}" for each in page.evaluate("window.violations")]
    return said + page.evaluate(f"({SCAN})(document)")


def scan(page: Page, texts: list[str]) -> list[list[str]]:
    """Return what is wrong with each of the documents, read as a browser reads them, without loading them."""
    return page.evaluate(SCAN_TEXTS, texts)
