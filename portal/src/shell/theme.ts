// The theme: light, dark or that of the system. Stored in the browser; a script in the page's head
// (build/theme.ts) reads it before the first paint.

export type Theme = "system" | "light" | "dark";

const KEY = "theme";

export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage is not available: the choice lasts as long as the page.
  }
}
