// Recomputes <form data-calculator> while someone types. Without script the form submits and the server answers the same.
import { addSlider } from "./slider.js";

const PAUSE_MS = 200;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function exact(figure) {
  const unit = figure.unit && figure.unit !== "fraction" ? ` ${figure.unit}` : "";
  return `${Number(figure.value).toLocaleString("en-GB", { maximumFractionDigits: 6 })}${unit}`;
}

function figureRow(figure) {
  const row = element("li");
  const shown = element("b", "", figure.display);
  shown.title = exact(figure);
  row.append(shown, ` ${figure.label}`);
  return row;
}

function show(form, result) {
  const out = form.querySelector("[data-out]");
  if (!out) return;
  out.querySelector("[data-figures]").replaceChildren(...result.figures.map(figureRow));
  for (const part of ["formula", "establishes", "to_measure", "convention"]) {
    const place = out.querySelector(`[data-part=${part}]`);
    if (!place) continue;
    place.textContent = result[part] ?? "";
    place.closest("[data-row]")?.toggleAttribute("hidden", !result[part]);
  }
  out.classList.remove("stale");
}

function showErrors(form, errors) {
  for (const field of form.querySelectorAll("[data-error-for]")) {
    const sentence = errors[field.dataset.errorFor];
    field.textContent = sentence ?? "";
    field.hidden = !sentence;
    const input = form.elements[field.dataset.errorFor];
    if (!(input instanceof Element)) continue;
    if (sentence) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    if (sentence) input.closest("details")?.setAttribute("open", "");
  }
  form.querySelector("[data-out]")?.classList.toggle("stale", Object.keys(errors).length > 0);
}

function inputs(form) {
  const data = new FormData(form);
  data.delete("csrfmiddlewaretoken");
  return new URLSearchParams([...data].map(([name, value]) => [name, String(value)]));
}

function upgrade(form) {
  if (form.dataset.ready) return;
  form.dataset.ready = "true";
  const trouble = form.querySelector("[data-trouble]");
  for (const more of form.querySelectorAll("details")) {
    if ([...more.querySelectorAll("input")].some((input) => input.value !== "")) more.open = true;
  }
  form.querySelectorAll("input[data-kind]").forEach(addSlider);
  let timer = 0;
  let running = null;

  async function compute() {
    running?.abort();
    running = new AbortController();
    const asked = inputs(form);
    const address = new URL(form.action, location.href);
    const post = form.method === "post";
    try {
      const answer = await fetch(post ? address : `${address.origin}${address.pathname}?${asked}`, {
        method: post ? "POST" : "GET",
        body: post ? new URLSearchParams([...new FormData(form)]) : undefined,
        headers: { Accept: "application/json" },
        signal: running.signal,
      });
      const body = await answer.json();
      if (trouble) trouble.hidden = true;
      showErrors(form, body.errors ?? {});
      if (!answer.ok || body.errors) return;
      show(form, body.result ?? body);
      if (address.pathname === location.pathname) history.replaceState(history.state, "", `?${asked}`);
      for (const link of form.querySelectorAll("a[data-share]")) link.href = `${link.pathname}?${asked}`;
    } catch (error) {
      if (error.name === "AbortError" || !trouble) return;
      trouble.textContent = "The figures below are for the earlier numbers: the site cannot be reached. Press Compute to try again.";
      trouble.hidden = false;
    }
  }

  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(compute, PAUSE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    compute();
  });
}

const upgradeAll = (root) => root.querySelectorAll("form[data-calculator]").forEach(upgrade);
upgradeAll(document);
document.addEventListener("htmx:load", (event) => upgradeAll(event.target));
