// Words of credentials: what is said of each kind, and what is said of all.

/** What is said of a kind. */
export interface CredentialWords {
  title: string;
  one: string;
  empty: string;
  make: string;
  makeTitle: string;
  madeTitle: string;
  /** What is shown once. */
  secret: string;
  rotateTitle: (name: string) => string;
  rotatedTitle: string;
  /** Where the answer to a rotation shows no secret: a new one was made before. */
  alreadyRotated?: string;
  rotateNote: string;
  revokeTitle: (name: string) => string;
}

const apiKey: CredentialWords = {
  title: "API keys",
  one: "API key",
  empty: "An API key is the simplest way to call: it goes into a header of each call.",
  make: "Make a key",
  makeTitle: "A new API key",
  madeTitle: "Your new API key",
  secret: "API key",
  rotateTitle: (name) => `Rotate the key “${name}”`,
  rotatedTitle: "The new key",
  alreadyRotated:
    "This key was rotated before, and the key that replaced it goes on. It was shown when it was made: if nobody kept it, rotate that key.",
  rotateNote: "A new key with the same terms is made now.",
  revokeTitle: (name) => `Revoke the key “${name}”?`,
};

const client: CredentialWords = {
  title: "OAuth2 clients",
  one: "OAuth2 client",
  empty:
    "An OAuth2 client gets access tokens that last an hour at most, with the scopes that it may have.",
  make: "Make a client",
  makeTitle: "A new OAuth2 client",
  madeTitle: "Your new OAuth2 client",
  secret: "Client secret",
  rotateTitle: (name) => `Rotate the secret of “${name}”`,
  rotatedTitle: "The new secret",
  rotateNote: "A new secret is made now.",
  revokeTitle: (name) => `Revoke the client “${name}”?`,
};

const basicUser: CredentialWords = {
  title: "Users of HTTP Basic",
  one: "Basic user",
  empty: "A user name and a password, for programs that know nothing else.",
  make: "Make a user",
  makeTitle: "A new user of HTTP Basic",
  madeTitle: "Your new user",
  secret: "Password",
  rotateTitle: (name) => `Rotate the password of “${name}”`,
  rotatedTitle: "The new password",
  rotateNote: "A new password is made now.",
  revokeTitle: (name) => `Revoke the user “${name}”?`,
};

export const credentialWords = {
  apiKey,
  client,
  basicUser,
  firstName: (environment: string) => `first, ${environment}`,
  name: "What it is for",
  userName: "User name in calls",
  clientId: "Client id",
  environment: "Environment",
  state: "State",
  used: "Last used",
  ends: "Ends",
  once: "It is shown this once. Copy it now; Tollgate keeps its digest only.",
  secretLost:
    "Saved, but a gateway has not applied it within a second, so its secret cannot be shown any more. Rotate the newest one without a grace to get one that you see, or revoke it.",
  copied: "I have copied it",
  live: "works",
  ended: "ended",
  revoked: "revoked",
  suspended: "suspended by an administrator",
  notYet: "not yet",
  ending: "ends soon",
  twoSecrets: "the old secret works too, and ends",
  shownAs: "How it is known",
  endsWith: (hint: string) => `…${hint}`,
  endedOnes: (count: number, shown: string) =>
    count === 1 ? "1 that has ended" : `${shown} that have ended`,
  rotate: "Rotate",
  grace: "The old one goes on for",
  graces: { now: "Not at all: it ends now", "1h": "1 hour", "24h": "24 hours", "7d": "7 days" },
  oldEnded: "The old one has ended.",
  oldEnds: "The old one ends",
  rotatedNote:
    "Both work until then. See “last used” before it ends: it tells whether somebody still needs it.",
  change: "Change",
  changeTitle: (name: string) => `Change “${name}”`,
  changed: "Saved.",
  revoke: "Revoke",
  revokeLead: "Calls with it are refused from now on, for good.",
  revokeCounts: "What its application has, and all calls of that, whatever they are made with:",
  lastUsed: "It was last used",
  neverUsed: "It was never used.",
  revokedNote: "Revoked.",
  voidTokens: "Void tokens",
  voidTitle: (name: string) => `Void all tokens of “${name}”?`,
  voidAll: "Void all tokens",
  voidAllTitle: "Void the tokens of all clients?",
  voidLead:
    "Every token that was issued so far is refused from now on. New ones can be got at once.",
  voided: "The tokens are void.",
  more: "More: expiry, from where",
  expiry: "Ends",
  expiries: {
    never: "Never",
    "30": "In 30 days",
    "90": "In 90 days",
    "365": "In a year",
    date: "At a time of my choice",
  },
  endsAt: "Ends at",
  addresses: "Addresses that may use it",
  addressesHint: "One a line, or networks such as 192.0.2.0/24. Left empty, from everywhere.",
  origins: "Origins of web pages that may use it",
  originsHint: "One a line, such as https://shop.example. Left empty, from everywhere.",
  authentication: "Client authentication",
  authentications: {
    client_secret: "With a secret",
    private_key_jwt: "With a key of its own (private_key_jwt)",
  },
  jwks: "Its public keys",
  jwksHint: "A JWK Set (RFC 7517), as JSON.",
  jwksWrong: "This is not JSON.",
  scopes: "Scopes",
  scopesHint: "Separated by spaces; they are named at each API.",
  form: "Token format",
  forms: { jwt: "Signed (JWT)", opaque: "Opaque" },
  lifetime: "Token lifetime, in seconds",
  lifetimeHint: "300 to 3,600",
};
