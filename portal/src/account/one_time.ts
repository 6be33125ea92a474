// The one-time password of the current sign-in, so that the page for a new password does not
// request it again. It is kept in memory until it is changed.

let typed: string | undefined;

export function keepOneTimePassword(password: string | undefined): void {
  typed = password;
}

export function oneTimePassword(): string | undefined {
  return typed;
}
