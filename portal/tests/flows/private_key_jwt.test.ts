// A client that authenticates with its own key (private_key_jwt, RFC 7523). It is created in the
// portal, which gets only the public key; a token request needs the private one.

import { type KeyObject, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { type Published, published } from "../support/apis";
import { Clicks } from "../support/clicks";
import { done, makePlans } from "../support/seed";
import { stage, startKeyManager } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage(() => startKeyManager());
let developer: Person;
let ledger: Published;
let application: string;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const { api } = await tollgate.person("petra", "publisher");
  const draft = {
    security: { oauth2: {}, scopes: { "things:read": { text: "See things", granted: "freely" } } },
    operations: [{ method: "GET", path: "/things", scopes: ["things:read"] }],
  };
  ledger = await published(api, { name: "Ledger", upstream: backEnd.url, plans: ["gold"], draft });
  developer = await tollgate.person("dora", "developer");
  const body = { name: "Night run" };
  application = (await done(developer.api.POST("/api/v1/applications", { body }))).id;
  const subscription = { application, version: ledger.version, plan: "gold" };
  await done(developer.api.POST("/api/v1/subscriptions", { body: subscription }));
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns the signed assertion of a client (RFC 7523, section 3). */
function assertion(client: string, audience: string, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: client, sub: client, aud: audience, jti: randomUUID(), exp: now + 60 };
  const signed = `${part({ alg: "ES256", kid: "one" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

interface Granted {
  access_token?: string;
  error?: string;
}

async function tokenFor(client: string, key: KeyObject): Promise<Granted> {
  const { parts } = await done(developer.api.GET("/api/v1/portal"));
  const url = parts.key_manager?.token_url ?? "";
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion(client, url, key),
  });
  return (await (await fetch(url, { method: "POST", body })).json()) as Granted;
}

async function callWith(token: string): Promise<number> {
  const url = `${on.tollgate.gateway}${ledger.path}/things`;
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
}

test("a client with its own key gets a token with it, and with no other", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" };
  const { page, faults } = await on.as(developer);
  await page.goto(`/applications/${application}/clients`);
  const clicks = new Clicks();
  await clicks.on(page.getByRole("button", { name: "Create client" }).first());
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("night run");
  await clicks.on(dialog.getByRole("button", { name: /Client secret/ }));
  await clicks.on(page.getByRole("option", { name: /private_key_jwt/ }));
  await dialog.getByLabel("Public keys").fill(JSON.stringify({ keys: [jwk] }));
  await dialog.getByLabel("Scopes", { exact: true }).fill("things:read");
  await clicks.on(dialog.getByRole("button", { name: "Create client" }));
  const client = await page.getByRole("region", { name: "Client id" }).textContent();
  expect(await page.getByRole("region", { name: "Client secret" }).count()).toBe(0);
  await clicks.on(page.getByRole("button", { name: "I have copied it" }));

  const { access_token: token = "" } = await tokenFor(client ?? "", privateKey);
  expect(await callWith(token)).toBe(200);
  clicks.print("a client with a key of its own");

  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  expect((await tokenFor(client ?? "", other)).error).toBe("invalid_client");
  expect(await callWith(`${token}x`)).toBe(401);
  expect(faults).toEqual([]);
});
