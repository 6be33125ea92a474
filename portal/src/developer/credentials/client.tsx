import { voidApplicationTokens } from "../../api/queries/applications";
import {
  type NewClient,
  type OAuth2Client,
  changeClient,
  oauth2Clients,
  voidClientTokens,
} from "../../api/queries/credentials";
import { Problem } from "../../api/problem";
import { text } from "../../text/text";
import { Select, TextField } from "../../ui/Field";
import type { FieldsProps, Kind } from "./kind";

const words = text.developer.credentials;

interface Extra {
  authentication: OAuth2Client["authentication"];
  /** A JWK Set as text. */
  jwks: string;
  /** Separated by spaces. */
  scopes: string;
  form: OAuth2Client["token"]["form"];
  lifetime: string;
}

const NEW: Extra = {
  authentication: "client_secret",
  jwks: "",
  scopes: "",
  form: "jwt",
  lifetime: "3600",
};

function Fields({ value, onChange, isNew }: FieldsProps<Extra>) {
  const set = (change: Partial<Extra>) => onChange({ ...value, ...change });
  return (
    <>
      {isNew && (
        <Select
          label={words.authentication}
          value={value.authentication}
          choices={(["client_secret", "private_key_jwt"] as const).map((it) => ({
            value: it,
            label: words.authentications[it],
          }))}
          onChange={(authentication) => set({ authentication })}
          pointer="/authentication"
        />
      )}
      {value.authentication === "private_key_jwt" && (
        <TextField
          label={words.jwks}
          value={value.jwks}
          onChange={(jwks) => set({ jwks })}
          lines={5}
          mono
          hint={words.jwksHint}
          isRequired
          pointer="/jwks"
        />
      )}
      <TextField
        label={words.scopes}
        value={value.scopes}
        onChange={(scopes) => set({ scopes })}
        mono
        hint={words.scopesHint}
        pointer="/scopes"
      />
      <Select
        label={words.form}
        value={value.form}
        choices={(["jwt", "opaque"] as const).map((it) => ({ value: it, label: words.forms[it] }))}
        onChange={(form) => set({ form })}
        pointer="/token/form"
      />
      <TextField
        label={words.lifetime}
        type="number"
        value={value.lifetime}
        onChange={(lifetime) => set({ lifetime })}
        hint={words.lifetimeHint}
        pointer="/token/lifetime_s"
      />
    </>
  );
}

/** Returns the request fields, for both a new client and a change. */
function bodyOf({ authentication, jwks, scopes, form, lifetime }: Extra) {
  return {
    scopes: scopes.split(/\s+/).filter((scope) => scope !== ""),
    token: { form, lifetime_s: Number(lifetime) },
    ...(authentication === "private_key_jwt" ? { jwks: parsed(jwks) } : {}),
  };
}

function parsed(jwks: string): NonNullable<NewClient["jwks"]> {
  try {
    return JSON.parse(jwks) as NonNullable<NewClient["jwks"]>;
  } catch {
    throw Problem.atField("/jwks", words.jwksWrong);
  }
}

export const clientKind: Kind<OAuth2Client, Extra> = {
  words: words.client,
  list: oauth2Clients.list,
  rotate: oauth2Clients.rotate,
  revoke: oauth2Clients.revoke,
  impactOfRevocation: oauth2Clients.impactOfRevocation,
  create: (application, terms, extra) => {
    const { authentication } = extra;
    return oauth2Clients.create(application, { ...terms, authentication, ...bodyOf(extra) });
  },
  change: (id, patch, extra) => changeClient(id, { ...patch, ...bodyOf(extra) }),
  shownAs: ({ id }) => id,
  copies: true,
  secrets: ({ id, client_secret }) => [
    { label: words.clientId, value: id },
    ...(client_secret ? [{ label: words.client.secret, value: client_secret }] : []),
  ],
  oldEnd: ({ previous_until }) => previous_until,
  canRotate: ({ authentication }) => authentication === "client_secret",
  voidTokens: voidClientTokens,
  voidAllTokens: voidApplicationTokens,
  newExtra: NEW,
  extraOf: ({ authentication, jwks, scopes, token }) => ({
    authentication,
    jwks: jwks ? JSON.stringify(jwks, null, 2) : "",
    scopes: scopes.join(" "),
    form: token.form,
    lifetime: String(token.lifetime_s),
  }),
  Fields,
};
