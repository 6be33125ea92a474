// A client of the key manager by npm's openid-client: discovers the server, gets a token with the
// parameters on standard input (JSON), calls an API with it, introspects and revokes it, and prints
// the results.

import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import * as oauth from "openid-client";

const wanted = JSON.parse(readFileSync(0, "utf8"));

/** Imports a client's private key, PKCS #8 in Base64. */
async function privateKey() {
  const pkcs8 = Buffer.from(wanted.private_key, "base64");
  const kind = { name: "ECDSA", namedCurve: "P-256" };
  const key = await webcrypto.subtle.importKey("pkcs8", pkcs8, kind, false, ["sign"]);
  return { key, kid: wanted.kid };
}

async function authentication() {
  switch (wanted.authentication) {
    case "client_secret_basic": return oauth.ClientSecretBasic(wanted.client_secret);
    case "client_secret_post": return oauth.ClientSecretPost(wanted.client_secret);
    case "private_key_jwt": return oauth.PrivateKeyJwt(await privateKey());
    default: throw new Error(wanted.authentication);
  }
}

async function attempt() {
  const server = new URL(wanted.issuer);
  const options = { algorithm: "oauth2" };
  const config = await oauth.discovery(
    server, wanted.client_id, undefined, await authentication(), options);
  let granted;
  try {
    granted = await oauth.clientCredentialsGrant(config, { scope: wanted.scope.join(" ") });
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) return { error: error.error };
    // It reads the challenge, not the body.
    if (error instanceof oauth.WWWAuthenticateChallengeError) {
      return { error: error.cause[0].scheme };
    }
    throw error;
  }
  const token = granted.access_token;
  const call = () => oauth.fetchProtectedResource(config, token, new URL(wanted.api), "GET");
  const answer = await call();
  const told = await oauth.tokenIntrospection(config, token);
  await oauth.tokenRevocation(config, token);
  const after = await oauth.tokenIntrospection(config, token);
  let refused;
  try {
    refused = (await call()).status;
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    refused = { status: error.status, error: error.cause[0].parameters.error };
  }
  return {
    type: granted.token_type,
    scope: granted.scope,
    status: answer.status,
    body: await answer.text(),
    told,
    after,
    refused,
  };
}

process.stdout.write(JSON.stringify(await attempt()));
