// Classification of media types: syntax, text or bytes, forms.

export function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(type);
}

export function isXml(type: string): boolean {
  return /^[^;]*[/+]xml\s*(;|$)/i.test(type);
}

export const isUrlEncoded = (type: string) => /^application\/x-www-form-urlencoded\b/i.test(type);
export const isMultipart = (type: string) => /^multipart\/form-data\b/i.test(type);

/** Text formats outside `text/*`. */
const TEXTS =
  /^application\/(?:[\w.-]+\+)?(?:x-)?(?:yaml|ndjson|jsonl|json-seq|javascript|graphql|sql|jwt|toml)\s*(;|$)/i;

/** Whether a body of this type can be typed; others are sent from a file. */
export function isTypable(type: string): boolean {
  return (
    isJson(type) ||
    isXml(type) ||
    isUrlEncoded(type) ||
    TEXTS.test(type) ||
    /^(text\/|\*\/\*)/i.test(type)
  );
}

/** Returns the first type of a list that is not a range such as `image/*`. */
export function concreteOf(types: string): string | undefined {
  const all = types.split(",").map((it) => it.trim());
  return all.find((it) => it !== "" && !it.includes("*"));
}

/** Whether a list of types and ranges matches a type. */
export function isAmong(types: string, type: string): boolean {
  const [wanted = ""] = type.toLowerCase().split(";");
  return types.split(",").some((it) => {
    const [range = ""] = it.trim().toLowerCase().split(";");
    if (range === "*/*" || range === wanted) return true;
    return range.endsWith("/*") && wanted.startsWith(range.slice(0, -1));
  });
}

/** The type of unknown bytes (RFC 9110, section 8.3). */
export const BYTES = "application/octet-stream";
