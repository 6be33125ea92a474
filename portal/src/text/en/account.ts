// Words of signing in and of the account.

export const signInWords = {
  title: "Sign in",
  again: "Sign in again",
  againLead: "Your session has ended. What you typed is kept.",
  name: "Name",
  password: "Password",
  submit: "Sign in",
  changeTitle: "Choose a password",
  changeLead: "The one-time password must be changed before anything else.",
  current: "One-time password",
  new: "New password",
  newHint: "At least 12 characters: a sentence that nobody guesses",
  change: "Change and go on",
};

export const accountWords = {
  title: "Account",
  lead: (name: string, roles: string) => `${name} · ${roles}`,
  tabs: "Parts of the account",
  overview: "Password and look",
  tokens: "Access tokens",
  password: {
    title: "Password",
    current: "Current password",
    new: "New password",
    change: "Change the password",
    changed: "The password is changed. Other sessions of yours have ended.",
  },
  look: {
    title: "Look",
    label: "Light or dark",
    system: "As the system has it",
    light: "Light",
    dark: "Dark",
  },
  token: {
    lead: "A program uses a personal access token in place of your password. It may do what you may.",
    name: "What it is for",
    hint: "Ends with",
    made: "Made",
    ends: "Ends",
    used: "Last used",
    make: "Make a token",
    makeTitle: "A new access token",
    madeTitle: "Your new access token",
    once: "It is shown this once. Copy it now; Tollgate keeps its digest only.",
    done: "I have copied it",
    empty:
      "No program acts in your name yet. Make a token for curl, for scripts or for a pipeline.",
    revoke: "Revoke",
    revokeTitle: (name: string) => `Revoke the token “${name}”?`,
    revokeLead: "Whatever uses it is refused from now on.",
    revoked: "The token is revoked.",
  },
};
