// The portal over HTTPS: the same policy, a cookie that only HTTPS carries, and calls that go to
// the gateway over HTTPS too.

import { beforeAll, expect, test } from "vitest";
import { type Watched, settled, signIn } from "./support/browser";
import { type World, seed } from "./support/seed";
import { stage } from "./support/stage";
import { type Person, Tollgate } from "./support/tollgate";

const on = stage(() => Tollgate.startHttps());
let world: World;

beforeAll(async () => {
  world = await seed(on.tollgate, on.backEnd.url);
});

/** Opens a window over HTTPS with a signed-in user. */
async function secureWindow(person: Person): Promise<Watched> {
  const baseURL = on.tollgate.controlHttps ?? "";
  const watched = await on.window({ baseURL, ignoreHTTPSErrors: true });
  await signIn(watched.page, person);
  await settled(watched.page);
  expect(new URL(watched.page.url()).protocol).toBe("https:");
  return watched;
}

test("the policy holds over HTTPS", async () => {
  const { page, faults } = await secureWindow(world.administrator);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({
    name: "__Secure-tollgate_session",
    secure: true,
    httpOnly: true,
    sameSite: "Strict",
    path: "/api/v1",
  });
  expect(faults).toEqual([]);
});

test("an operation is tried over HTTPS", async () => {
  const { page, faults } = await secureWindow(world.developer);
  const called: string[] = [];
  page.on("request", (request) => called.push(new URL(request.url()).origin));
  await page.goto(`/apis/${world.made.version}/reference/${world.made.operation}`);
  await settled(page);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("200 OK", { exact: true }).waitFor();
  expect(called).toContain(on.tollgate.gatewayHttps);
  expect(called).not.toContain(on.tollgate.gateway);
  expect(faults).toEqual([]);
});
