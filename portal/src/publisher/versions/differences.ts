// What a change of a draft says otherwise than the draft as it is saved, member by member.

export interface Difference {
  /** The members that lead there, as `upstream.url`. */
  path: string;
  theirs: unknown;
  yours: unknown;
}

/** Members whose values nobody reads. */
const SECRET = /\.(value|password)$/;
const MASK = "***";

/** Compares what a merge patch names with what is there; what it does not name stays as it is. */
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
