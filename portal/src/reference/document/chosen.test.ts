import { expect, test } from "vitest";
import { sampleText } from "./body";
import { type Chosen, choicePlace, choicesOf, memberPlace } from "./choices";

const BONE = { title: "Bone", properties: { length: { example: 12 } } };

const DOCUMENT = {
  components: {
    schemas: {
      Pet: {
        oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
        discriminator: { propertyName: "kind", mapping: { c: "Cat", d: "Dog" } },
        example: { kind: "c", lives: 9 },
      },
      Cat: { type: "object", properties: { lives: { type: "integer", example: 7 } } },
      Dog: {
        type: "object",
        properties: { toy: { oneOf: [{ title: "Ball", properties: { size: {} } }, BONE] } },
      },
      Base: {
        type: "object",
        properties: { name: { example: "Rex" } },
        discriminator: { propertyName: "as", mapping: { one: "One", two: "Two" } },
      },
      One: {
        allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { a: { example: 1 } } }],
      },
      Two: {
        allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { b: { example: 2 } } }],
      },
    },
  },
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function sample(schema: unknown, chosen?: Chosen): unknown {
  const body = { type: "application/json", schema, example: undefined };
  return JSON.parse(sampleText(DOCUMENT, body, true, chosen));
}

function choice(schema: unknown, name: string) {
  const found = choicesOf(DOCUMENT, schema).choices.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no alternative ${name}`);
  return found;
}

test("a sample uses the selected alternatives at every depth", () => {
  const dog = choice(ref("Pet"), "d");
  const toy = memberPlace(choicePlace("", dog), "toy");
  const bone = choice(DOCUMENT.components.schemas.Dog.properties.toy, "Bone");
  expect(sample(ref("Pet"))).toEqual({ kind: "c", lives: 9 });
  expect(sample(ref("Pet"), new Map([["", choice(ref("Pet"), "c")]]))).toEqual({
    kind: "c",
    lives: 7,
  });
  expect(sample(ref("Pet"), new Map([["", dog]]))).toEqual({ kind: "d", toy: { size: null } });
  const both = new Map([
    ["", dog],
    [toy, bone],
  ]);
  expect(sample(ref("Pet"), both)).toEqual({ kind: "d", toy: { length: 12 } });
  const pets = { type: "array", items: ref("Pet") };
  expect(sample(pets, both)).toEqual([{ kind: "d", toy: { length: 12 } }]);
});

test("a discriminator without alternatives uses those of its mapping", () => {
  expect(sample(ref("Base"))).toEqual({ name: "Rex", a: 1, as: "one" });
  const two = new Map([["", choice(ref("Base"), "two")]]);
  expect(sample(ref("Base"), two)).toEqual({ name: "Rex", b: 2, as: "two" });
  expect(sample(ref("Two"))).toEqual({ name: "Rex", b: 2 });
});

test("an example of the media type does not hide selected alternatives", () => {
  const body = { type: "application/json", schema: ref("Pet"), example: { kind: "c", lives: 8 } };
  const chosen = new Map([["", choice(ref("Pet"), "d")]]);
  expect(sampleText(DOCUMENT, body, true)).toContain('"lives": 8');
  expect(sampleText(DOCUMENT, body, true, chosen)).toContain('"kind": "d"');
});
