// Fields of the upstream form, and their mapping to a draft. An unchanged secret is sent as the
// mask by which it was shown.

import type { Configuration, DraftPatch, Upstream } from "../../api/queries/versions";
import { type ReadingFields, readReading, writeReading } from "./reading_fields";

/** The mask of secrets in configurations; sent back, it keeps the secret. */
const MASK = "***";

/** The gateway's credential at an upstream. */
export interface CredentialFields {
  kind: "none" | "header" | "basic";
  /** The header name or the user name. */
  name: string;
  /** The new secret; empty to keep the present one. */
  secret: string;
  /** Whether a secret is already set. */
  isSet: boolean;
}

export interface UpstreamFields {
  url: string;
  credential: CredentialFields;
  isVerified: boolean;
  ca: string;
  connectMs: string;
  firstByteMs: string;
  idleMs: string;
}

export const NO_CREDENTIAL: CredentialFields = { kind: "none", name: "", secret: "", isSet: false };

function readCredential(credential: Upstream["credential"]): CredentialFields {
  if (credential && "header" in credential) {
    return { kind: "header", name: credential.header.name, secret: "", isSet: true };
  }
  if (credential && "basic" in credential) {
    return { kind: "basic", name: credential.basic.name, secret: "", isSet: true };
  }
  return NO_CREDENTIAL;
}

export function readUpstream(upstream: Upstream | null | undefined): UpstreamFields {
  const number = (value: number | undefined) => (value === undefined ? "" : String(value));
  return {
    url: upstream?.url ?? "",
    credential: readCredential(upstream?.credential),
    isVerified: upstream?.verify_certificate ?? true,
    ca: upstream?.ca ?? "",
    connectMs: number(upstream?.connect_timeout_ms),
    firstByteMs: number(upstream?.first_byte_timeout_ms),
    idleMs: number(upstream?.idle_timeout_ms),
  };
}

/** Returns the credential as a merge patch, which removes the other kind. */
export function writeCredential({ kind, name, secret, isSet }: CredentialFields): object | null {
  const kept = secret === "" && isSet ? MASK : secret;
  if (kind === "header") return { header: { name, value: kept }, basic: null };
  if (kind === "basic") return { basic: { name, password: kept }, header: null };
  return null;
}

/** Returns the upstream as a merge patch; null if there is no address. */
export function writeUpstream(fields: UpstreamFields): object | null {
  if (fields.url === "") return null;
  const number = (value: string) => (value === "" ? null : Number(value));
  return {
    url: fields.url,
    credential: writeCredential(fields.credential),
    verify_certificate: fields.isVerified,
    ca: fields.ca === "" ? null : fields.ca,
    connect_timeout_ms: number(fields.connectMs),
    first_byte_timeout_ms: number(fields.firstByteMs),
    idle_timeout_ms: number(fields.idleMs),
  };
}

export interface UpstreamsFields {
  production: UpstreamFields;
  sandbox: UpstreamFields;
  reading: ReadingFields | null;
}

export function readUpstreams(draft: Configuration): UpstreamsFields {
  return {
    production: readUpstream(draft.upstream),
    sandbox: readUpstream(draft.sandbox_upstream),
    reading: readReading(draft),
  };
}

export function writeUpstreams({ production, sandbox, reading }: UpstreamsFields): DraftPatch {
  return {
    upstream: writeUpstream(production),
    sandbox_upstream: writeUpstream(sandbox),
    ...writeReading(reading),
  };
}
