// Findings in an application's credentials that may explain a refusal.

import type { ReactNode } from "react";
import type { ApiKey, BasicUser, Credential, OAuth2Client } from "../../api/queries/credentials";
import { count } from "../../text/format";
import { text } from "../../text/text";
import type { RefusalCode } from "../../text/en/refusals";
import { Time } from "../../ui/Time";
import { endOf, hasEnded, stateOf } from "../credentials/state";

const words = text.developer.explain.credentials;

interface Held {
  keys: readonly ApiKey[];
  clients: readonly OAuth2Client[];
  users: readonly BasicUser[];
}

export function credentialClues(code: RefusalCode, held: Held, nowMs: number): ReactNode[] {
  const all: Credential[] = [...held.keys, ...held.clients, ...held.users];
  const live = all.filter((it) => !hasEnded(it, nowMs));
  if (all.length === 0) return [words.none];
  if (code === "authorize.scope") {
    const clients = held.clients.filter((it) => !hasEnded(it, nowMs));
    return clients.length > 0 ? clients.map(scopesOf) : [words.noClients];
  }
  if (code === "authorize.denied") {
    const bound = live.flatMap(allowedFrom);
    return bound.length > 0 ? bound : [words.everywhere];
  }
  if (code === "authorize.no_environment") {
    const { environments } = text.nouns;
    return live.map(({ name, environment }) => words.environment(name, environments[environment]));
  }
  const working = live.filter((it) => isWorking(it, nowMs));
  const refused = all.filter((it) => !isWorking(it, nowMs)).map((it) => refusedWhy(it));
  if (working.length === 0) return refused;
  return [...refused, words.works(working.length, count(working.length))];
}

const isWorking = (it: Credential, nowMs: number) =>
  ["good", "warning"].includes(stateOf(it, nowMs).tone);

function refusedWhy(credential: Credential) {
  const { id, name, revoked_at, suspended_at, not_before } = credential;
  const [sentence, at] = revoked_at
    ? [words.revoked(name), revoked_at]
    : suspended_at
      ? [words.suspended(name), suspended_at]
      : not_before && Date.parse(not_before) > Date.now()
        ? [words.notYet(name), not_before]
        : [words.ended(name), endOf(credential)];
  return (
    <span key={id}>
      {sentence} {at && <Time at={at} />}
    </span>
  );
}

function scopesOf({ name, scopes }: OAuth2Client): string {
  return scopes.length > 0 ? words.scopes(name, scopes.join(", ")) : words.noScopes(name);
}

function allowedFrom({ name, allowed }: Credential): string[] {
  const from = [...(allowed?.addresses ?? []), ...(allowed?.origins ?? [])];
  return from.length > 0 ? [words.allowed(name, from.join(", "))] : [];
}
