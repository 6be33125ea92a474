// The one-time password with which somebody has just signed in, so that the page that asks for a
// new one does not ask for it again. It is kept in memory until it is changed.

let typed: string | undefined;

export function keepOneTimePassword(password: string | undefined): void {
  typed = password;
}

export function oneTimePassword(): string | undefined {
  return typed;
}
