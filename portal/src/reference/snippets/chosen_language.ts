// The languages of code samples, and the user's choice, which the browser keeps.

const NAMES = {
  curl: "curl",
  javascript: "JavaScript",
  python: "Python",
  java: "Java",
  csharp: "C#",
  go: "Go",
  php: "PHP",
};

export type Language = keyof typeof NAMES;

export const choices = Object.keys(NAMES)
  .filter(isLanguage)
  .map((value) => ({ value, label: NAMES[value] }));

const KEY = "code_language";

function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(NAMES, name);
}

export function chosenLanguage(): Language {
  try {
    const name = localStorage.getItem(KEY);
    return isLanguage(name) ? name : "curl";
  } catch {
    return "curl";
  }
}

export function chooseLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Storage is not available: the choice lasts as long as the page.
  }
}
