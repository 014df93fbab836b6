// Runs Lighthouse over pages and prints one line of JSON a run: node run.mjs < task.json
// The task: {chrome, runs, pages: [{name, url, headers}]}. A line: {page, scores, metrics, faults}.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { text } from "node:stream/consumers";

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const METRICS = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "speed-index"];

/** The audits that take something from a score, with the first places that they name. */
function faults(lhr) {
  const found = [];
  for (const category of CATEGORIES) {
    for (const { id, weight } of lhr.categories[category].auditRefs) {
      const audit = lhr.audits[id];
      if (!weight || audit.score === null || audit.score >= 0.9) continue;
      const places = (audit.details?.items ?? []).slice(0, 3).map((item) => item.node?.snippet ?? item.url ?? item.description ?? item.source ?? "");
      found.push({ category, id, title: audit.title, shown: audit.displayValue ?? "", places });
    }
  }
  return found;
}

const task = JSON.parse(await text(process.stdin));
const chrome = await launch({
  chromePath: task.chrome,
  chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  for (let run = 0; run < task.runs; run += 1) {
    for (const { name, url, headers } of task.pages) {
      // the defaults of Lighthouse: a mid-range phone on slow 4G, simulated
      const { lhr } = await lighthouse(url, { port: chrome.port, onlyCategories: CATEGORIES, extraHeaders: headers, logLevel: "error" });
      if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
      console.log(JSON.stringify({
        page: name,
        scores: Object.fromEntries(CATEGORIES.map((id) => [id, Math.round(100 * lhr.categories[id].score)])),
        metrics: Object.fromEntries(METRICS.map((id) => [id, lhr.audits[id].numericValue])),
        faults: faults(lhr),
      }));
    }
  }
} finally {
  chrome.kill();
}
