// Texts of credentials: those of each kind, then those that all kinds share.

/** Texts of one kind. */
export interface CredentialWords {
  title: string;
  one: string;
  empty: string;
  make: string;
  makeTitle: string;
  madeTitle: string;
  /** Label of the secret, which is shown once. */
  secret: string;
  rotateTitle: (name: string) => string;
  rotatedTitle: string;
  /** Shown if a rotation returns no secret, because a new one was created before. */
  alreadyRotated?: string;
  rotateNote: string;
  revokeTitle: (name: string) => string;
}

const apiKey: CredentialWords = {
  title: "API keys",
  one: "API key",
  empty: "An API key is the simplest way to call an API: send it in a header of each call.",
  make: "Create key",
  makeTitle: "New API key",
  madeTitle: "Your new API key",
  secret: "API key",
  rotateTitle: (name) => `Rotate the key “${name}”`,
  rotatedTitle: "New key",
  alreadyRotated:
    "This key was already rotated, and its replacement is active. The replacement was shown when it was created: if it is lost, rotate the replacement.",
  rotateNote: "A new key with the same settings is created now.",
  revokeTitle: (name) => `Revoke the key “${name}”?`,
};

const client: CredentialWords = {
  title: "OAuth2 clients",
  one: "OAuth2 client",
  empty:
    "An OAuth2 client gets access tokens that are valid for up to an hour, with the scopes it is allowed.",
  make: "Create client",
  makeTitle: "New OAuth2 client",
  madeTitle: "Your new OAuth2 client",
  secret: "Client secret",
  rotateTitle: (name) => `Rotate the secret of “${name}”`,
  rotatedTitle: "New secret",
  rotateNote: "A new secret is created now.",
  revokeTitle: (name) => `Revoke the client “${name}”?`,
};

const basicUser: CredentialWords = {
  title: "HTTP Basic users",
  one: "Basic user",
  empty: "A user name and a password, for programs that support nothing else.",
  make: "Create user",
  makeTitle: "New HTTP Basic user",
  madeTitle: "Your new user",
  secret: "Password",
  rotateTitle: (name) => `Rotate the password of “${name}”`,
  rotatedTitle: "New password",
  rotateNote: "A new password is created now.",
  revokeTitle: (name) => `Revoke the user “${name}”?`,
};

export const credentialWords = {
  apiKey,
  client,
  basicUser,
  firstName: (environment: string) => `first, ${environment}`,
  name: "Name",
  userName: "User name in calls",
  clientId: "Client id",
  environment: "Environment",
  state: "State",
  used: "Last used",
  ends: "Expires",
  once: "Copy it now: it is not shown again. Tollgate stores only its digest.",
  secretLost:
    "Saved, but a gateway did not apply it within a second, so its secret can no longer be shown. To get a new secret, rotate the newest one without a grace period, or revoke it.",
  copied: "I have copied it",
  live: "active",
  ended: "expired",
  revoked: "revoked",
  suspended: "suspended by an administrator",
  notYet: "not yet valid",
  ending: "expires soon",
  twoSecrets: "the old secret also works; it expires",
  shownAs: "Identifier",
  endsWith: (hint: string) => `…${hint}`,
  endedOnes: (count: number, shown: string) =>
    count === 1 ? "1 no longer valid" : `${shown} no longer valid`,
  rotate: "Rotate",
  grace: "Grace period",
  graces: {
    now: "None: the old one expires now",
    "1h": "1 hour",
    "24h": "24 hours",
    "7d": "7 days",
  },
  oldEnded: "The old one has expired.",
  oldEnds: "The old one expires",
  rotatedNote:
    "Both work until then. Check “Last used” first to see whether the old one is still in use.",
  change: "Change",
  changeTitle: (name: string) => `Change “${name}”`,
  changed: "Saved.",
  revoke: "Revoke",
  revokeLead: "Calls with it are refused from now on. This cannot be undone.",
  revokeCounts: "Totals of its application, with any credential:",
  lastUsed: "It was last used",
  neverUsed: "It was never used.",
  revokedNote: "Revoked.",
  voidTokens: "Invalidate tokens",
  voidTitle: (name: string) => `Invalidate all tokens of “${name}”?`,
  voidAll: "Invalidate all tokens",
  voidAllTitle: "Invalidate the tokens of all clients?",
  voidLead:
    "All tokens issued so far are refused from now on. Clients can request new ones at once.",
  voided: "Tokens invalidated.",
  more: "Expiry and restrictions",
  expiry: "Expires",
  expiries: {
    never: "Never",
    "30": "In 30 days",
    "90": "In 90 days",
    "365": "In a year",
    date: "At a custom time",
  },
  endsAt: "Expires at",
  addresses: "Allowed addresses",
  addressesHint:
    "One address or network per line, such as 192.0.2.0/24. If empty, any address is allowed.",
  origins: "Allowed web origins",
  originsHint: "One per line, such as https://shop.example. If empty, any origin is allowed.",
  authentication: "Client authentication",
  authentications: {
    client_secret: "Client secret",
    private_key_jwt: "Private key (private_key_jwt)",
  },
  jwks: "Public keys",
  jwksHint: "A JWK Set (RFC 7517), as JSON.",
  jwksWrong: "This is not valid JSON.",
  scopes: "Scopes",
  scopesHint: "Separated by spaces; each API lists its scopes.",
  form: "Token format",
  forms: { jwt: "Signed (JWT)", opaque: "Opaque" },
  lifetime: "Token lifetime, in seconds",
  lifetimeHint: "300 to 3,600",
};
