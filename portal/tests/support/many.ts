// Test data with long lists.

import { type Published, published } from "./apis";
import { type World, done } from "./seed";

/** The limit is 20 of a kind per application. */
const CREDENTIALS = 15;
/** The limit is 50 per user. */
const TOKENS = 45;
/** Number of concurrent requests. */
const AT_ONCE = 8;

async function each(from: number, to: number, make: (at: number) => Promise<unknown>) {
  for (let at = from; at < to; at += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, offset) => at + offset);
    await Promise.all(batch.map(make));
  }
}

/** Creates rows `from` to `to` of each list that grows with use. */
export async function lengthen(world: World, upstream: string, from: number, to: number) {
  const { administrator, publisher, developer, made } = world;
  const { application, version } = made;
  const params = { path: { application } };
  const { api } = developer;
  const subscribe = (to: { application: string; version: string }) =>
    done(api.POST("/api/v1/subscriptions", { body: { ...to, plan: "unlimited" } }));
  await each(from, to, async (at) => {
    const more: Published = await published(publisher.api, {
      name: `More${at}`,
      upstream,
      plans: ["unlimited"],
    });
    await subscribe({ application, version: more.version });
    const name = `more ${at}`;
    const { id } = await done(api.POST("/api/v1/applications", { body: { name } }));
    await subscribe({ application: id, version });
    if (at < CREDENTIALS) {
      const user = { user_name: `more-${at}` };
      const path = "/api/v1/applications/{application}";
      await done(api.POST(`${path}/keys`, { params, body: { name } }));
      await done(api.POST(`${path}/clients`, { params, body: { name } }));
      await done(api.POST(`${path}/basic-users`, { params, body: user }));
    }
    if (at < TOKENS) await done(api.POST("/api/v1/access-tokens", { body: { name } }));
    const user = { name: `more-${at}`, roles: ["developer" as const] };
    await done(administrator.api.POST("/api/v1/users", { body: user }));
  });
}
