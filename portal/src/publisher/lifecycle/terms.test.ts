import { expect, test } from "vitest";
import { NO_OLDER, NO_TERMS, changedTerms, optionsOf, termsOf } from "./terms";

const terms = { sunset: "2027-06-30T12:00", successor: "ver_2", text: "Use 2.0." };
const sunset = new Date(2027, 5, 30, 12).toISOString();

test("deprecating sends what was entered, and nothing else", () => {
  expect(optionsOf("deprecated", terms, NO_OLDER)).toEqual({ ...terms, sunset });
  expect(optionsOf("deprecated", NO_TERMS, NO_OLDER)).toEqual({});
  expect(optionsOf("retired", terms, NO_OLDER)).toEqual({});
});

test("publishing moves subscriptions and deprecates older versions in one step", () => {
  const older = { from: "ver_1", deprecate: ["ver_1"] };
  expect(optionsOf("published", terms, older)).toEqual({
    subscriptions: "move",
    from: "ver_1",
    deprecate: { versions: ["ver_1"], sunset, text: "Use 2.0." },
  });
  expect(optionsOf("published", terms, NO_OLDER)).toEqual({});
});

test("an edit sends only changed terms, and null for removed ones", () => {
  const since = "2026-01-01T00:00:00Z";
  const before = termsOf({ since, sunset: "2026-11-01T10:20:30Z", text: "Soon." });
  expect(changedTerms(before, before)).toEqual({});
  expect(changedTerms(before, { ...before, sunset: "" })).toEqual({ sunset: null });
  expect(changedTerms(before, { ...before, text: "" })).toEqual({ text: "" });
  expect(changedTerms(terms, { ...terms, successor: "" })).toEqual({ successor: null });
});

test("an end that cannot be read is sent as entered, for the API to refuse", () => {
  expect(changedTerms(NO_TERMS, { ...NO_TERMS, sunset: "9999999" })).toEqual({
    sunset: "9999999",
  });
});
