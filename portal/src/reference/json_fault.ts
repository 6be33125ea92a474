// Finds where a text stops being JSON (RFC 8259). Browsers report the position only in some cases.

export type Expected = "value" | "name" | "colon" | "commaOrEnd" | "end";

export interface JsonFault {
  /** Starts at 1. */
  line: number;
  column: number;
  /** The tokens that JSON allows there. */
  expected: Expected;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

export function jsonFault(json: string): JsonFault | undefined {
  try {
    JSON.parse(json);
    return undefined;
  } catch {
    const { at, expected } = firstFault(json);
    const lines = json.slice(0, at).split("\n");
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, expected };
  }
}

/** Reads as far as the text is JSON. Uses an explicit stack, so depth needs no recursion. */
function firstFault(json: string): { at: number; expected: Expected } {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let expected: Expected = "value";
  const take = (token: RegExp): boolean => {
    token.lastIndex = at;
    const isThere = token.test(json);
    if (isThere) at = token.lastIndex;
    return isThere;
  };
  const takeSign = (sign: string): boolean => {
    if (json[at] !== sign) return false;
    at += 1;
    return true;
  };
  const afterValue = (): Expected => (open.length > 0 ? "commaOrEnd" : "end");
  const close = (): Expected => {
    open.pop();
    return afterValue();
  };
  /** Reads a token; returns what may follow it, or undefined if it is not the expected one. */
  const step = (): Expected | undefined => {
    switch (expected) {
      case "value": {
        if (takeSign("{")) {
          open.push("{");
          take(SPACE);
          return takeSign("}") ? close() : "name";
        }
        if (takeSign("[")) {
          open.push("[");
          take(SPACE);
          return takeSign("]") ? close() : "value";
        }
        return take(STRING) || take(SCALAR) ? afterValue() : undefined;
      }
      case "name":
        return take(STRING) ? "colon" : undefined;
      case "colon":
        return takeSign(":") ? "value" : undefined;
      case "commaOrEnd": {
        const isObject = open.at(-1) === "{";
        if (takeSign(",")) return isObject ? "name" : "value";
        return takeSign(isObject ? "}" : "]") ? close() : undefined;
      }
      case "end":
        return undefined;
    }
  };
  for (;;) {
    take(SPACE);
    const next = step();
    if (next === undefined) return { at, expected };
    expected = next;
  }
}
