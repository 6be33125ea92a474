// Differences between a change and what is saved, member by member.

export interface Difference {
  /** The path of members, such as `upstream.url`. */
  path: string;
  theirs: unknown;
  yours: unknown;
}

/** Members with secret values. */
const SECRET = /\.(value|password)$/;
const MASK = "***";

/** Compares the members of a merge patch with the present values; others are unchanged. */
export function differencesOf(theirs: unknown, yours: unknown, path = ""): Difference[] {
  if (isObject(yours) && (theirs == null || isObject(theirs))) {
    return Object.entries(yours).flatMap(([name, member]) =>
      differencesOf(theirs?.[name], member, path === "" ? name : `${path}.${name}`),
    );
  }
  if (JSON.stringify(theirs ?? null) === JSON.stringify(yours ?? null)) return [];
  const isSecret = SECRET.test(path);
  return [
    { path, theirs: isSecret ? MASK : (theirs ?? null), yours: isSecret ? MASK : (yours ?? null) },
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
