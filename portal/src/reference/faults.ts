/** Faults of a request, as sentences by key: of a parameter, a form field, or the body. */
export type Faults = ReadonlyMap<string, string>;

/** Key of the body among the faults. */
export const BODY = "body";
export const fieldKey = (name: string) => `field ${name}`;
