import { expect, test } from "vitest";
import { fieldsOf } from "./document/form_fields";
import { type Part, formFaults, formOf } from "./form";
import { curl } from "./snippets/curl";

const DOCUMENT = { components: { schemas: { Photo: { type: "string", format: "binary" } } } };
const PHOTO = { $ref: "#/components/schemas/Photo" };
const SCHEMA = {
  type: "object",
  required: ["name", "photo"],
  properties: {
    id: { type: "integer", readOnly: true },
    name: { type: "string", example: "Rex" },
    tags: { type: "array", items: { type: "string" }, example: ["a", "b c"] },
    owner: { type: "object", properties: { age: { type: "integer" } } },
    photo: PHOTO,
    more: { type: "array", items: PHOTO },
  },
};
const MULTIPART = "multipart/form-data";
const URL_ENCODED = "application/x-www-form-urlencoded; charset=utf-8";

const fields = (type: string) => fieldsOf(DOCUMENT, { type, schema: SCHEMA, example: undefined });
const begin = (type: string) =>
  new Map(fields(type).map(({ name, sample }): [string, string] => [name, sample]));

test("a form has a field for each part that is sent, files among them", () => {
  const told = fields(MULTIPART).map(({ name, isRequired, isFile, isList, sample }) =>
    [name, isRequired && "required", isFile && "file", isList && "list", sample].filter(Boolean),
  );
  expect(told).toEqual([
    ["name", "required", "Rex"],
    ["tags", "list", "a,b c"],
    ["owner", '{"age":1}'],
    ["photo", "required", "file"],
    ["more", "file", "list"],
  ]);
  expect(fields("application/json")).toEqual([]);
  expect(fields(URL_ENCODED).some(({ isFile }) => isFile)).toBe(false);
});

test("a form in one line has its pairs, lists several times, and nothing that is empty", () => {
  const parts = begin(URL_ENCODED).set("photo", "").set("more", "").set("name", "R & x");
  expect(formOf(URL_ENCODED, fields(URL_ENCODED), parts)).toBe(
    "name=R+%26+x&tags=a&tags=b+c&owner=%7B%22age%22%3A1%7D",
  );
});

test("a form of parts has texts and files, and says what is missing", () => {
  const all = fields(MULTIPART);
  const parts = begin(MULTIPART);
  expect([...formFaults(all, parts).keys()]).toEqual(["photo"]);
  const file = new File(["bytes"], 'a "b".png', { type: "image/png" });
  const whole = new Map<string, Part>(parts).set("photo", [file]);
  expect(formFaults(all, whole).size).toBe(0);
  const form = formOf(MULTIPART, all, whole);
  if (typeof form === "string") throw new Error(form);
  expect([...form.keys()]).toEqual(["name", "tags", "tags", "owner", "photo"]);
  expect(form.get("photo")).toMatchObject({ name: 'a "b".png', type: "image/png", size: 5 });
  const line = curl({ method: "POST", url: "http://x/", headers: [], form, credentials: [] });
  expect(line).not.toContain("-X");
  expect(line).toContain("--form-string 'name=Rex'");
  expect(line).toContain(`-F 'photo=@"a \\"b\\".png"'`);
});
