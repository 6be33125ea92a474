// Try-it sends requests as the document describes: the back end behind the real gateway compares
// the bytes.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { settled } from "../support/browser";
import { axeFindings } from "../support/checks";
import type { Seen } from "../support/odd_upstream";
import { trying } from "../support/trying";

const it = trying();
const PLAIN = { type: "string" };
const LIST = { type: "array", items: PLAIN };
const OBJECT = { type: "object" };
const responses = { 200: { description: "What came" } };
let version = "";

const parameter = (name: string, place: string, schema: object, more: object = {}) => ({
  ...{ name, in: place, required: true, schema },
  ...more,
});
const body = (type: string, schema: object, more: object = {}) => ({
  requestBody: { required: true, content: { [type]: { schema, ...more } } },
  responses,
});

const FORM = {
  type: "object",
  required: ["name"],
  properties: {
    name: PLAIN,
    owner: { $ref: "#/components/schemas/Owner" },
    tags: LIST,
    photo: { type: "string", format: "binary" },
  },
};

const DOCUMENT = {
  openapi: "3.0.4",
  info: { title: "Sends", version: "1.0" },
  components: {
    schemas: {
      Owner: { type: "object", properties: { age: { type: "integer", example: 7 } } },
      Cat: { type: "object", properties: { lives: { type: "integer", example: 9 } } },
      Dog: { type: "object", properties: { barks: { type: "boolean", example: true } } },
    },
  },
  paths: {
    "/archive/{+file}": { get: { parameters: [parameter("file", "path", PLAIN)], responses } },
    "/styles/{simple}/{label}/{matrix}": {
      get: {
        parameters: [
          parameter("simple", "path", OBJECT, { explode: true, example: { a: 1, b: "x y" } }),
          parameter("label", "path", LIST, { style: "label", explode: true, example: ["r", "g"] }),
          parameter("matrix", "path", LIST, { style: "matrix", example: ["p+q", "é"] }),
          parameter("form", "query", LIST, { example: ["a b", "c&d"] }),
          parameter("pipes", "query", LIST, {
            ...{ style: "pipeDelimited", explode: false, example: ["1", "2"] },
          }),
          parameter("spaces", "query", LIST, {
            ...{ style: "spaceDelimited", explode: false, example: ["1", "2"] },
          }),
          parameter("deep", "query", OBJECT, { style: "deepObject", example: { a: { b: 1 } } }),
          parameter("free", "query", PLAIN, { allowReserved: true, example: "/a:b?c=d&e" }),
          {
            ...{ name: "json", in: "query", required: true },
            content: { "application/json": { schema: LIST, example: ["1", "2"] } },
          },
          { ...parameter("X-List", "header", LIST, { example: ["1", "2 3"] }) },
        ],
        responses,
      },
    },
    "/multipart": {
      post: body("multipart/form-data", FORM, {
        encoding: {
          photo: { contentType: "image/png" },
          owner: { headers: { "X-Of": { schema: { type: "string", default: "Rex" } } } },
        },
      }),
    },
    "/form": {
      post: body("application/x-www-form-urlencoded", FORM, {
        encoding: { owner: { style: "deepObject" }, tags: { explode: false } },
      }),
    },
    "/file": { put: body("application/octet-stream", { type: "string", format: "binary" }) },
    "/checked": {
      post: {
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } },
          { name: "kind", in: "query", schema: { type: "string", enum: ["cat", "dog"] } },
          {
            name: "tags",
            in: "query",
            schema: { type: "array", items: { enum: ["a,b", "c", "d"] } },
          },
          { name: "loud", in: "query", schema: { type: "boolean" } },
          { name: "day", in: "query", schema: { type: "string", format: "date" } },
          { name: "at", in: "query", schema: { type: "string", format: "date-time" } },
        ],
        ...body("application/json", {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string", pattern: "^[A-Z]", example: "Rex" } },
        }),
      },
    },
    "/unsendable/{part}/x": {
      get: {
        parameters: [
          parameter("part", "path", PLAIN, { example: "a" }),
          parameter("seen", "cookie", PLAIN, { example: "a b" }),
          parameter("Referer", "header", PLAIN, { example: "http://x/" }),
        ],
        ...body("application/json", OBJECT, { example: { a: 1 } }),
      },
    },
    "/pets": {
      post: body("application/json", {
        oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
        discriminator: { propertyName: "kind" },
      }),
    },
    "/large": {
      post: body("application/json", LIST, { example: Array(250_000).fill("twenty characters!") }),
    },
    "/many": {
      get: {
        parameters: Array.from({ length: 200 }, (_, at) => ({
          ...{ name: `p${at}`, in: "query" },
          schema: at % 4 === 0 ? { type: "boolean" } : PLAIN,
        })),
        responses,
      },
    },
  },
};

beforeAll(async () => {
  ({ version } = await it.described("Sends", DOCUMENT));
});

const tryIt = (page: Page) => page.getByRole("form", { name: "Try it" });

async function opened(operation: string) {
  const watched = await it.stage.as(it.dora, [/status of 4\d\d/]);
  await watched.page.goto(`/apis/${version}/reference/${operation}`);
  await settled(watched.page);
  return watched;
}

/** Presses the button; returns the request that the back end received. */
async function sent(page: Page, button = "Send"): Promise<Seen> {
  const before = it.odd.seen.length;
  await page.getByRole("button", { name: button, exact: true }).click();
  await expect.poll(() => it.odd.seen.length).toBe(before + 1);
  const [seen] = it.odd.seen.slice(before);
  if (seen === undefined) throw new Error("no request arrived");
  return seen;
}

async function chooseFile(page: Page, name: string, mimeType: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    tryIt(page)
      .getByRole("button", { name: /^Choose a file/ })
      .click(),
  ]);
  await chooser.setFiles({ name, mimeType, buffer: BYTES });
}

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

test("parameters are sent in the style that the document names", async () => {
  const { page, faults } = await opened("get-styles-simple-label-matrix");
  const seen = await sent(page);
  expect(seen.address).toBe(
    "/styles/a=1,b=x%20y/.r.g/;matrix=p%2Bq,%C3%A9?form=a%20b&form=c%26d&pipes=1%7C2" +
      "&spaces=1%202&deep%5Ba%5D%5Bb%5D=1&free=/a:b?c=d%26e" +
      "&json=%5B%221%22%2C%222%22%5D",
  );
  expect(seen.headers["x-list"]).toBe("1,2 3");
  expect(faults).toEqual([]);
});

test("the rest of a path is sent with its slashes, as in the code sample", async () => {
  const { page, faults } = await opened("get-archive-file");
  await tryIt(page).getByLabel("file", { exact: true }).fill("a b/c//d");
  const address = "/archive/a%20b/c//d";
  await page.getByRole("region", { name: "Code sample" }).getByText(address).waitFor();
  expect((await sent(page)).address).toBe(address);
  expect(faults).toEqual([]);
});

test("a multipart form is sent by its encoding, as in each language's code", async () => {
  const { page, faults } = await opened("post-multipart");
  await chooseFile(page, "rex.dat", "application/x-rex");
  await tryIt(page).getByLabel("name", { exact: true }).fill("Rex & co");
  await tryIt(page).getByLabel("tags (optional)").fill("a, b");
  const { headers, body } = await sent(page);
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1];
  const part = (head: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: ${head}${text}`;
  expect(body.toString("latin1")).toBe(
    [
      part('form-data; name="name"', "\r\n\r\nRex & co"),
      part(
        'form-data; name="owner"',
        '\r\nContent-Type: application/json\r\nX-Of: Rex\r\n\r\n{\n  "age": 7\n}',
      ),
      part('form-data; name="tags"', "\r\n\r\na"),
      part('form-data; name="tags"', "\r\n\r\nb"),
      part(
        'form-data; name="photo"; filename="rex.dat"',
        `\r\nContent-Type: image/png\r\n\r\n${BYTES.toString("latin1")}`,
      ),
      `--${boundary}--\r\n`,
    ].join("\r\n"),
  );
  for (const language of ["JavaScript", "Python", "Java", "C#", "Go", "PHP"]) {
    await page.getByRole("button", { name: /Language/ }).click();
    await page.getByRole("option", { name: language, exact: true }).click();
    const code = page.getByRole("region", { name: "Code sample" }).getByText("rex.dat");
    await code.waitFor();
  }
  await page.getByText("The code reads rex.dat from its working directory.").waitFor();
  expect(faults).toEqual([]);
});

test("a URL-encoded form is sent by its encoding", async () => {
  const { page, faults } = await opened("post-form");
  await tryIt(page).getByLabel("name", { exact: true }).fill("Rex & co");
  await tryIt(page).getByLabel("tags (optional)").fill('["a,b", "c"]');
  await tryIt(page).getByLabel("photo (optional)").fill("");
  const { headers, body } = await sent(page);
  expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(body.toString()).toBe("name=Rex+%26+co&owner%5Bage%5D=7&tags=a%2Cb,c");
  expect(faults).toEqual([]);
});

test("a body of bytes is sent from a file", async () => {
  const { page, faults } = await opened("put-file");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Body is required.").waitFor();
  await chooseFile(page, "rex.png", "image/png");
  await page.getByText("--data-binary '@rex.png'").waitFor();
  const { headers, body } = await sent(page);
  expect(headers["content-type"]).toBe("application/octet-stream");
  expect(body.equals(BYTES)).toBe(true);
  expect(faults).toEqual([]);
});

test("values that do not match the document are reported before sending, and can be sent anyway", async () => {
  const { page, faults } = await opened("post-checked");
  await tryIt(page).getByLabel("limit (optional)").fill("101");
  await tryIt(page).getByLabel("Body", { exact: true }).fill('{"name": "rex"}');
  const before = it.odd.seen.length;
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("limit must be at most 100.").waitFor();
  await page.getByText("In the body, /name must match ^[A-Z].").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await tryIt(page).getByLabel("Body", { exact: true }).fill('{"name": ');
  await page.getByText("The body is not valid JSON: line 1, column 10").waitFor();
  expect(it.odd.seen.length).toBe(before);
  const seen = await sent(page, "Send anyway");
  expect(seen.address).toBe("/checked?limit=101");
  expect(seen.body.toString()).toBe('{"name": ');
  await tryIt(page).getByLabel("limit (optional)").fill("100");
  await tryIt(page).getByLabel("Body", { exact: true }).fill('{"name": "Rex"}');
  expect((await sent(page)).address).toBe("/checked?limit=100");
  expect(faults).toEqual([]);
});

test("a few values are choices, and dates have a date field", async () => {
  const { page, faults } = await opened("post-checked");
  const choose = async (name: string, option: string) => {
    await tryIt(page)
      .getByRole("button", { name: new RegExp(`${name} \\(optional\\)`) })
      .click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("kind", "dog");
  await choose("loud", "false");
  const tags = tryIt(page).getByRole("group", { name: "tags (optional)" });
  await tags.getByText("a,b", { exact: true }).click();
  await tags.getByText("d", { exact: true }).click();
  await tryIt(page).getByLabel("day (optional)").fill("2026-02-28");
  await tryIt(page).getByLabel("at (optional)").fill("2026-02-28T12:30");
  const instant = await page.evaluate(() => new Date("2026-02-28T12:30").toISOString());
  const at = encodeURIComponent(instant.replace(".000Z", "Z"));
  expect((await sent(page)).address).toBe(
    `/checked?kind=dog&tags=a%2Cb&tags=d&loud=false&day=2026-02-28&at=${at}`,
  );
  await choose("kind", "not sent");
  expect((await sent(page)).address).not.toContain("kind");
  expect(faults).toEqual([]);
});

test("values that a browser cannot send are named in advance, and the code has them", async () => {
  const { page, faults } = await opened("get-unsendable-part-x");
  await page.getByText("Browsers do not let pages send seen; the code below has it.").waitFor();
  await page.getByText("Browsers do not let pages send Referer; the code below has it.").waitFor();
  await page.getByText("Browsers send no body with GET; the code below has it.").waitFor();
  const code = page.getByRole("region", { name: "Code sample" });
  for (const line of ["-H 'cookie: seen=a%20b'", "-H 'Referer: http://x/'", '"a": 1']) {
    expect(await code.textContent()).toContain(line);
  }
  const seen = await sent(page);
  expect([seen.address, seen.body.length]).toEqual(["/unsendable/a/x", 0]);
  expect(seen.headers["cookie"]).toBeUndefined();
  await tryIt(page).getByLabel("part", { exact: true }).fill("..");
  await page.getByText("A browser cannot send “.” or “..” as part").waitFor();
  expect(await code.textContent()).toContain("--path-as-is");
  expect(await code.textContent()).toContain("/unsendable/../x");
  expect(faults).toEqual([]);
});

test("the sample, the body and the code follow the selected alternative", async () => {
  const { page, faults } = await opened("post-pets");
  const sample = page.getByRole("region", { name: "Sample: request body, application/json" });
  const typed = tryIt(page).getByLabel("Body", { exact: true });
  expect(await sample.innerText()).toContain('"kind": "Cat"');
  await page.locator("#operation").getByRole("button", { name: /kind$/ }).click();
  await page.getByRole("option", { name: "Dog" }).click();
  const dog = { kind: "Dog", barks: true };
  await expect.poll(async () => JSON.parse(await sample.innerText()) as unknown).toEqual(dog);
  expect(JSON.parse(await typed.inputValue())).toEqual(dog);
  expect(JSON.parse((await sent(page)).body.toString())).toEqual(dog);
  expect(faults).toEqual([]);
});

test("the page stays responsive with a 5 MB example and 200 parameters", async () => {
  const { page, faults } = await opened("post-large");
  await page.getByText("is sent unchanged.").waitFor();
  await page.getByText("The code reads body.json from its working directory.").waitFor();
  const began = performance.now();
  expect((await sent(page)).body.length).toBeGreaterThan(5_000_000);
  expect(performance.now() - began).toBeLessThan(20_000);

  await page.goto(`/apis/${version}/reference/get-many`);
  await settled(page);
  const last = tryIt(page).getByLabel("p199 (optional)");
  await last.pressSequentially("0123456789", { timeout: 20_000 });
  expect((await sent(page)).address).toBe("/many?p199=0123456789");
  expect(faults).toEqual([]);
});
