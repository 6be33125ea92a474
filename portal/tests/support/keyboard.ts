// Checks of keyboard access.

import type { Page } from "playwright-core";

const CONTROLS =
  "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";

/** More tab stops than any page has, which ends a focus trap. */
const STOPS_MAX = 400;

/** Checks that Tab reaches every control in document order, with a visible focus. */
export async function keyboardFindings(page: Page): Promise<string[]> {
  const expected = await markControls(page);
  await startAtTop(page);
  const findings: string[] = [];
  const reached: number[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await page.keyboard.press("Tab");
    const at = await present(page);
    // Day, month and year of a date are tab stops of one field.
    if (at !== null && at.number === reached.at(-1)) continue;
    if (at === null || reached.includes(at.number)) break;
    reached.push(at.number);
    if (!at.isSeen) findings.push(`the focus is not visible on ${at.name}`);
  }
  const missed = expected.filter(({ number }) => !reached.includes(number));
  findings.push(...missed.map(({ name }) => `Tab does not reach ${name}`));
  const inOrder = reached.every(
    (number, place) => place === 0 || number > (reached[place - 1] ?? 0),
  );
  if (!inOrder) findings.push(`Tab visits the controls in the order ${reached.join(" ")}`);
  return findings;
}

/** Moves the focus to the top: Tab continues from the last focus, even if its element is gone. */
function startAtTop(page: Page): Promise<void> {
  return page.evaluate(() => {
    const start = document.createElement("span");
    start.tabIndex = -1;
    document.body.prepend(start);
    start.focus();
    start.remove();
  });
}

interface Control {
  number: number;
  name: string;
}

/** Numbers the controls in document order, and returns those that Tab must reach. */
function markControls(page: Page): Promise<Control[]> {
  return page.evaluate((selector) => {
    const seen = new Set<string>();
    return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element, number) => {
      element.dataset["stop"] = String(number);
      // A group of choices has one tab stop, at its first.
      const choice = "[role=radio] ~ [role=radio]";
      const off = `:disabled, [inert] *, [aria-hidden=true] *, [tabindex='-1'], ${choice}`;
      const isOff = element.matches(off);
      if (isOff || !element.checkVisibility({ visibilityProperty: true })) return [];
      if (element instanceof HTMLInputElement && element.type === "radio") {
        // A radio group has one tab stop.
        const first = !seen.has(element.name);
        seen.add(element.name);
        if (!first || document.querySelector(`[name="${element.name}"]:checked`)) return [];
      }
      return [{ number, name: element.outerHTML.slice(0, 120) }];
    });
  }, CONTROLS);
}

/** Returns the focused control and whether its focus is visible; `null` outside the page. */
function present(page: Page): Promise<(Control & { isSeen: boolean }) | null> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element.dataset["stop"] === undefined) return null;
    const isOutlined = (it: Element, pseudo?: string) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(it, pseudo);
      return outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
    };
    // A field may show the focus on its frame, a link on the card that it covers.
    const around = [element, element.parentElement, element.parentElement?.parentElement];
    const isSeen =
      around.some((it) => it && isOutlined(it)) ||
      isOutlined(element, "::after") ||
      getComputedStyle(element).boxShadow !== "none";
    const number = Number(element.dataset["stop"]);
    return { number, name: element.outerHTML.slice(0, 120), isSeen };
  });
}

/** Checks that Esc closes a dialog and returns the focus to its opener. */
export async function escapeFindings(page: Page, opener: string): Promise<string[]> {
  const button = page.getByRole("button", { name: opener, exact: true }).first();
  if ((await button.count()) === 0) return [];
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor({ state: "hidden" }).catch(() => undefined);
  if ((await dialog.count()) > 0) return [`Esc does not close what “${opener}” opens`];
  const hasFocus = await button.evaluate((element) => element === document.activeElement);
  return hasFocus ? [] : [`the focus does not return to “${opener}”`];
}
