// What flows of publishers begin with: plans, and petra, who publishes and calls what she
// published.

import { beforeAll, expect } from "vitest";
import type { Expected, Watched } from "./browser";
import { makePlans } from "./seed";
import { type Stage, stage } from "./stage";
import { type Person, Tollgate } from "./tollgate";

export type PublisherStage = Stage & { petra: Person };

/** Sets the stage for a file of tests; `flags` are what the binary is started with. */
export function publisherStage(...flags: string[]): PublisherStage {
  const set = Object.assign(
    stage(() => Tollgate.start(...flags)),
    { petra: {} as Person },
  );
  beforeAll(async () => {
    await makePlans(set.tollgate.administrator);
    set.petra = await set.tollgate.person("petra", "publisher", "developer");
  });
  return set;
}

/** What somebody does in a window of their own, which is found without fault in the end. */
export async function asPerson(
  set: Stage,
  person: Person,
  flow: (watched: Watched) => Promise<void>,
  expected: Expected = [],
): Promise<void> {
  const watched = await set.as(person, expected);
  await flow(watched);
  expect(watched.faults).toEqual([]);
}
