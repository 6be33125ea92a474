// Usage at its extremes, for screenshots: a single call, and an API of many versions.

import { writeUsage } from "./busy";
import { type World, change, done, makePlans, publish } from "./seed";
import type { Tollgate } from "./tollgate";

/** Number of concurrent requests. */
const AT_ONCE = 8;

/** Publishes the API of an empty installation, and calls it once. */
export async function callOnce(tollgate: Tollgate, world: World, upstream: string): Promise<void> {
  const { administrator, publisher, developer, made } = world;
  const { application, version } = made;
  const operations = [{ method: "GET", path: "/things", summary: "All things" }];
  await change(publisher.api, version, { operations });
  await makePlans(administrator);
  await publish(publisher.api, version, upstream);
  const subscription = { application, version, plan: "unlimited" };
  await done(developer.api.POST("/api/v1/subscriptions", { body: subscription }));
  const keys = "/api/v1/applications/{application}/keys";
  const request = { params: { path: { application } }, body: { name: "production" } };
  const { key } = await done(developer.api.POST(keys, request));
  const headers = { apikey: key ?? "" };
  const answer = await fetch(`${tollgate.gateway}/orders/1.0/things`, { headers });
  if (answer.status !== 200) throw new Error(`the call answered ${answer.status}`);
  await answer.arrayBuffer();
}

/** Adds `count` versions to the API, and restarts the program with calls of all its versions. */
export async function addVersions(tollgate: Tollgate, world: World, count: number): Promise<void> {
  const { api, version, application } = world.made;
  const params = { path: { api } };
  const made = [version];
  const names = Array.from({ length: count }, (_, at) => `2.${at}`);
  for (let at = 0; at < count; at += AT_ONCE) {
    const added = names.slice(at, at + AT_ONCE).map(async (name) => {
      const body = { name };
      return done(world.publisher.api.POST("/api/v1/apis/{api}/versions", { params, body }));
    });
    made.push(...(await Promise.all(added)).map(({ id }) => id));
  }
  await tollgate.halt();
  writeUsage(
    tollgate,
    made.map((version, at) => ({
      api,
      version,
      application,
      calls_a_day: 4_000 / (1 + at),
      refused: { "admit.subscription": 0.02 },
    })),
  );
  await tollgate.resume();
}
