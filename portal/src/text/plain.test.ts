import { expect, test } from "vitest";
import { plainStart } from "./plain";

test("the first paragraph of Markdown is text without marks", () => {
  const markdown =
    "# Pets\n\nPets, their **owners** and `visits`. See [our pages](https://a.example).\n\nMore.";
  expect(plainStart(markdown)).toBe("Pets, their owners and visits. See our pages.");
  expect(plainStart("- one\n- two")).toBe("one two");
  expect(plainStart("snake_case stays")).toBe("snake_case stays");
  expect(plainStart("")).toBe("");
});
