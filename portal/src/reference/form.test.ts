import { expect, test } from "vitest";
import { contentOf } from "./content";
import { fieldsOf } from "./document/form_fields";
import { type Part, fileTypeOf, formOf } from "./form";

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

const fields = (type: string, encoding?: unknown, schema: unknown = SCHEMA) =>
  fieldsOf(DOCUMENT, { type, schema, example: undefined, encoding });

function form(
  type: string,
  encoding: unknown,
  schema: unknown = SCHEMA,
  more: Record<string, Part> = {},
) {
  const all = fields(type, encoding, schema);
  const parts = new Map<string, Part>(all.map(({ name, sample }) => [name, sample]));
  for (const [name, part] of Object.entries(more)) parts.set(name, part);
  return formOf(DOCUMENT, type, all, parts);
}

/** Returns a URL-encoded form. */
function line(...given: [encoding: unknown, schema?: unknown, more?: Record<string, Part>]) {
  const body = form(URL_ENCODED, ...given);
  return body?.kind === "text" ? body.text : body;
}

/** Returns the bytes of a multipart form, with its boundary as `B`. */
async function bytes(...given: [encoding: unknown, schema?: unknown, more?: Record<string, Part>]) {
  const body = form(MULTIPART, ...given);
  if (body === undefined) throw new Error("no form");
  const { type, pieces } = contentOf(body);
  const boundary = type.replace("multipart/form-data; boundary=", "");
  return (await new Blob([...pieces]).text()).replaceAll(boundary, "B").replaceAll("\r\n", "\n");
}

test("a form has a field for each part, including files", () => {
  const listed = fields(MULTIPART).map(({ name, isRequired, isFile, isList, sample }) =>
    [name, isRequired && "required", isFile && "file", isList && "list", sample].filter(Boolean),
  );
  expect(listed).toEqual([
    ["name", "required", "Rex"],
    ["tags", "list", "a,b c"],
    ["owner", '{\n  "age": 1\n}'],
    ["photo", "required", "file"],
    ["more", "file", "list"],
  ]);
  expect(fields("application/json")).toEqual([]);
  expect(fields(URL_ENCODED).some(({ isFile }) => isFile)).toBe(false);
});

test("a URL-encoded form repeats list names, and omits empty fields", () => {
  expect(line(undefined, SCHEMA, { photo: "", more: "", name: "R & x", owner: '{"age":1}' })).toBe(
    "name=R+%26+x&tags=a&tags=b+c&owner=%7B%22age%22%3A1%7D",
  );
  expect(line(undefined, SCHEMA, { name: "", tags: "", owner: "", photo: "", more: "" })).toBe(
    undefined,
  );
});

const STYLED = {
  type: "object",
  properties: {
    tags: { type: "array", items: { type: "string" }, example: ["a b", "c"] },
    owner: { type: "object", example: { age: 1, name: "é/" } },
  },
};

test("a field is written in the style of its encoding", async () => {
  const both = (tags: object, owner: object) => line({ tags, owner }, STYLED);
  expect(both({ explode: false }, { style: "form" })).toBe("tags=a+b,c&age=1&name=%C3%A9%2F");
  expect(both({ style: "pipeDelimited", explode: false }, { style: "deepObject" })).toBe(
    "tags=a+b%7Cc&owner%5Bage%5D=1&owner%5Bname%5D=%C3%A9%2F",
  );
  expect(both({ style: "spaceDelimited", explode: false }, { explode: false })).toBe(
    "tags=a+b+c&owner=age,1,name,%C3%A9%2F",
  );
  expect(both({}, { allowReserved: true })).toBe("tags=a+b&tags=c&age=1&name=%C3%A9/");
  const styled = { tags: { style: "form", explode: false }, owner: { style: "deepObject" } };
  expect(await bytes(styled, STYLED)).toBe(
    [
      '--B\nContent-Disposition: form-data; name="tags"\n\na b,c',
      '--B\nContent-Disposition: form-data; name="owner[age]"\n\n1',
      '--B\nContent-Disposition: form-data; name="owner[name]"\n\né/',
      "--B--\n",
    ].join("\n"),
  );
});

test("a part has the media type and the headers of its encoding; objects are JSON", async () => {
  const encoding = {
    name: {
      contentType: "text/markdown",
      headers: {
        "X-Language": { schema: { type: "string", default: "en" } },
        "X-Asked": { required: true, schema: { type: "integer", minimum: 7 } },
        "X-Other": { schema: { type: "string" } },
        "Content-Type": { schema: { default: "text/html" } },
        "a b": { schema: { default: "no name of a header" } },
      },
    },
    photo: { contentType: "image/png, image/jpeg" },
    owner: { contentType: "application/xml" },
  };
  const photo = [new File(["bytes"], 'a "b"\n.jpg', { type: "image/jpeg" })];
  const more = [new File(["1"], "1.txt", { type: "text/plain" }), new File(["2"], "2")];
  expect(await bytes(encoding, SCHEMA, { photo, more, tags: '[{"a":1},"b"]' })).toBe(
    [
      '--B\nContent-Disposition: form-data; name="name"\nContent-Type: text/markdown',
      "X-Language: en\nX-Asked: 7\n\nRex",
      '--B\nContent-Disposition: form-data; name="tags"\n\n{"a":1}',
      '--B\nContent-Disposition: form-data; name="tags"\n\nb',
      '--B\nContent-Disposition: form-data; name="owner"\nContent-Type: application/xml\n',
      '<?xml version="1.0"?>\n<root>\n  <age>1</age>\n</root>',
      '--B\nContent-Disposition: form-data; name="photo"; filename="a %22b%22%0A.jpg"',
      "Content-Type: image/jpeg\n\nbytes",
      '--B\nContent-Disposition: form-data; name="more"; filename="1.txt"',
      "Content-Type: text/plain\n\n1",
      '--B\nContent-Disposition: form-data; name="more"; filename="2"',
      "Content-Type: application/octet-stream\n\n2",
      "--B--\n",
    ].join("\n"),
  );
  expect(await bytes(undefined, STYLED)).toContain(
    'name="owner"\nContent-Type: application/json\n\n{\n  "age": 1,\n  "name": "é/"\n}\n',
  );
});

test("a file has the browser's type if the document allows it", () => {
  const typed = (type: string, allowed?: string) =>
    fileTypeOf(new File([], "x", { type }), allowed);
  expect(typed("image/png")).toBe("image/png");
  expect(typed("")).toBe("application/octet-stream");
  expect(typed("image/png", "image/*")).toBe("image/png");
  expect(typed("text/plain", "image/gif, image/png")).toBe("image/gif");
  expect(typed("text/plain", "application/octet-stream")).toBe("application/octet-stream");
});

test("no text of a form contains its boundary", async () => {
  const first = form(MULTIPART, undefined);
  if (first === undefined) throw new Error("no form");
  const boundary = contentOf(first).type.replace(/.*=/, "");
  const body = form(MULTIPART, undefined, SCHEMA, { name: `\r\n--${boundary}\r\n` });
  if (body === undefined) throw new Error("no form");
  const { type, pieces } = contentOf(body);
  const response = new Response(new Blob([...pieces]), { headers: { "content-type": type } });
  expect((await response.formData()).get("name")).toBe(`\r\n--${boundary}\r\n`);
});
