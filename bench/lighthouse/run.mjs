// Runs Lighthouse over pages and prints one line of JSON a run: node run.mjs < task.json
// The task: {chrome, runs, port, pages: [{name, path, headers}]}. A line: {page, scores, metrics, faults}.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { createServer, request } from "node:http";
import { pipeline } from "node:stream";
import { text } from "node:stream/consumers";
import { createGzip } from "node:zlib";

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const METRICS = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "speed-index"];

/**
 * What ends TLS in front of the site, which listens on `port`. It says so of every request, that for robots.txt too, to
 * which Lighthouse adds no header, and it compresses pages, which the site leaves to it (docs/operating.md).
 */
function proxy(port) {
  const server = createServer((asked, answer) => {
    const onwards = { port, host: "127.0.0.1", path: asked.url, method: asked.method, headers: { ...asked.headers, connection: "close", "x-forwarded-proto": "https" } };
    const through = request(onwards, (given) => {
      const { "content-length": length, ...headers } = given.headers;
      const squeeze = headers["content-type"]?.startsWith("text/html") && !headers["content-encoding"];
      answer.writeHead(given.statusCode, squeeze ? { ...headers, "content-encoding": "gzip" } : given.headers);
      pipeline(given, ...(squeeze ? [createGzip()] : []), answer, () => {});
    });
    through.on("error", (error) => answer.writeHead(502).end(String(error)));
    asked.pipe(through);
  });
  return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

/** The audits that take something from a score or name a saving, and those that broke, with the first places that they name. */
function faults(lhr) {
  const found = [];
  for (const category of CATEGORIES) {
    for (const { id, weight } of lhr.categories[category].auditRefs) {
      const audit = lhr.audits[id];
      const broken = audit.scoreDisplayMode === "error";
      const saving = audit.details?.overallSavingsMs >= 50 || audit.details?.overallSavingsBytes >= 10_000;
      if (!broken && !saving && (!weight || audit.score === null || audit.score >= 0.9)) continue;
      const places = (audit.details?.items ?? []).slice(0, 3).map((item) => item.node?.snippet ?? item.url ?? item.description ?? item.source ?? "");
      found.push({ category, id, title: audit.title, shown: audit.errorMessage ?? audit.displayValue ?? "", places });
    }
  }
  return found;
}

/** A score of 0 to 100; Lighthouse gives none where an audit broke, and then there is none. */
const score = ({ score }) => (score === null ? null : Math.round(100 * score));

const task = JSON.parse(await text(process.stdin));
const chrome = await launch({
  chromePath: task.chrome,
  chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const front = await proxy(task.port);
const site = `http://localhost:${front.address().port}`;
try {
  for (let run = 0; run < task.runs; run += 1) {
    for (const { name, path, headers } of task.pages) {
      // the defaults of Lighthouse: a mid-range phone on slow 4G, simulated
      const { lhr } = await lighthouse(site + path, { port: chrome.port, onlyCategories: CATEGORIES, extraHeaders: headers, logLevel: "error" });
      if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
      console.log(JSON.stringify({
        page: name,
        scores: Object.fromEntries(CATEGORIES.map((id) => [id, score(lhr.categories[id])])),
        metrics: Object.fromEntries(METRICS.map((id) => [id, lhr.audits[id].numericValue])),
        faults: faults(lhr),
      }));
    }
  }
} finally {
  chrome.kill();
  front.close();
}
