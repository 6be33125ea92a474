// Opens a report in Chromium and checks that it is readable:
//
//   node check.mjs PAGE.html
//
// prints, as JSON, each plot with the number of its marks, and the faults: script errors, network
// requests, plots with a number of marks other than that of their data or with marks outside, text
// that is too small or overlaps other text, a page wider than the window. Checks widths of 1280 and
// 400 pixels, in light and dark mode, and once with scripts disabled, since the page must not need
// them.
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const WINDOWS = [
  { width: 1280, colorScheme: "light" },
  { width: 400, colorScheme: "light" },
  { width: 400, colorScheme: "dark" },
  { width: 1280, colorScheme: "dark", javaScriptEnabled: false },
];
// The smallest readable text, in pixels.
const TEXT_MIN = 9;
// Maximum number of reported faults.
const FAULTS_MAX = 40;
const PATIENCE_MS = 120_000;

const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** Checks the page; runs inside it. */
function look(textMin) {
  const faults = [];
  for (const box of document.querySelectorAll("details")) box.open = true;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    faults.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
  }
  const plots = [...document.querySelectorAll("figure.plot")].map((figure) => {
    const svg = figure.querySelector("svg");
    const caption = figure.querySelector("figcaption").textContent;
    const fault = (text) => faults.push(`${caption}: ${text}`);
    const frame = svg.getBoundingClientRect();
    const marks = [...svg.querySelectorAll(".mark")];
    let count = marks.length;
    for (const mark of marks) {
      const { x, y, width, height } = mark.getBoundingClientRect();
      const isInside = x >= frame.x - 1 && x + width <= frame.right + 1
        && y >= frame.y - 1 && y + height <= frame.bottom + 1;
      if (!(width > 0 && height > 0) || !isInside) fault("a mark is outside or empty");
    }
    for (const curve of svg.querySelectorAll(".curve")) {
      count += curve.points.numberOfItems;
      const { width, height } = curve.getBBox();
      if (!Number.isFinite(width + height)) fault("a curve is empty");
    }
    const expected = Number(svg.dataset.points);
    if (!(expected > 0) || count !== expected) fault(`${count} marks for ${expected} points`);
    if (!svg.querySelector(":scope > title")?.textContent) fault("no title");
    const labels = [...svg.querySelectorAll(".label")].filter((label) => label.textContent);
    if (labels.length < 2) fault("an axis has no label");
    const texts = [...svg.querySelectorAll("text")];
    const scale = frame.width / svg.viewBox.baseVal.width;
    for (const text of texts) {
      const size = parseFloat(getComputedStyle(text).fontSize) * scale;
      if (size < textMin) fault(`text of ${size.toFixed(1)} pixels`);
    }
    const boxes = texts.map((text) => [text, text.getBoundingClientRect()]);
    boxes.forEach(([text, a], index) => {
      const over = boxes.slice(index + 1).find(([, b]) => a.left < b.right - 1
        && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3);
      if (over) fault(`"${text.textContent}" overlaps "${over[0].textContent}"`);
    });
    return { caption, marks: count };
  });
  if (plots.length === 0) faults.push("no plots");
  return { plots, faults };
}

async function open(browser, url, { width, colorScheme, javaScriptEnabled = true }, faults) {
  const context = await browser.newContext({
    viewport: { width, height: 900 }, colorScheme, javaScriptEnabled,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => faults.push(`script error: ${error.message}`));
  page.on("console", (line) => {
    if (line.type() === "error") faults.push(`console: ${line.text()}`);
  });
  page.on("request", (request) => {
    const isOwn = request.url() === url || request.url().startsWith("data:");
    if (!isOwn) faults.push(`requests ${request.url()}`);
  });
  await page.goto(url);
  const seen = await page.evaluate(look, TEXT_MIN);
  const way = `at ${width} pixels, ${colorScheme}${javaScriptEnabled ? "" : ", without script"}`;
  faults.push(...seen.faults.map((fault) => `${way}: ${fault}`));
  await context.close();
  return seen.plots;
}

const url = pathToFileURL(process.argv[2]).href;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: PATIENCE_MS });
const faults = [];
let plots = [];
try {
  for (const window of WINDOWS) plots = await open(browser, url, window, faults);
} finally {
  await browser.close();
}
console.log(JSON.stringify({ plots, faults: [...new Set(faults)].slice(0, FAULTS_MAX) }));
