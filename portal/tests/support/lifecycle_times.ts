// Times of a version's life, from the request to its effect: a step of the lifecycle until the
// gateway applies it, and the differences of two documents and of two revisions.

import { manyOperations } from "./large";
import { asItIs, done, move } from "./seed";
import type { Person } from "./tollgate";

const ROUND = ["blocked", "published", "deprecated", "published"] as const;
const ROUNDS = 50;

/** Whether the response to a call without a credential is that of a version in this state. */
function shows(state: (typeof ROUND)[number], { status, headers }: Response): boolean {
  if (state === "blocked") return status === 503;
  return status === 401 && headers.has("deprecation") === (state === "deprecated");
}

/** Returns the 99th percentile of the times from a step's request to its effect, in ms. */
export async function slowStep({ api }: Person, version: string, url: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const to of ROUND) {
      const began = performance.now();
      await move(api, version, to);
      const answer = await fetch(url);
      times.push(performance.now() - began);
      if (!shows(to, answer)) throw new Error(`${to}, but a call gets ${answer.status}`);
      await answer.text();
    }
  }
  times.sort((one, next) => one - next);
  return times[Math.ceil(times.length * 0.99) - 1] ?? 0;
}

/** Renames the path of every other operation; returns the times of both comparisons in ms. */
export async function comparisons({ api }: Person, version: string, operations: number) {
  const document = manyOperations(operations).replaceAll(/"\/things(\d*[02468])\//g, '"/new$1/');
  const path = { version };
  const { response } = await api.GET("/api/v1/versions/{version}/draft", { params: { path } });
  const header = { "If-Match": response.headers.get("etag") ?? "" };
  const replace = async (dry_run: boolean) => {
    const params = { path, query: { dry_run }, header };
    const body = { body: document, ...asItIs("application/json") };
    const began = performance.now();
    await done(api.PUT("/api/v1/versions/{version}/document", { params, ...body }));
    return performance.now() - began;
  };
  const documents = await replace(true);
  await replace(false);
  const began = performance.now();
  const params = { path, query: { from: "deployed", to: "draft" } };
  await done(api.GET("/api/v1/versions/{version}/difference", { params }));
  return { documents, revisions: performance.now() - began };
}
