// Languages in which a call is shown; the one that somebody has chosen is kept in the browser.

import { csharp } from "./csharp";
import { curl } from "./curl";
import { go } from "./go";
import { java } from "./java";
import { javascript } from "./javascript";
import { php } from "./php";
import { python } from "./python";
import type { Snippet } from "./snippet";

interface Kind {
  name: string;
  write: (snippet: Snippet) => string;
}

export const languages = {
  curl: { name: "curl", write: curl },
  javascript: { name: "JavaScript", write: javascript },
  python: { name: "Python", write: python },
  java: { name: "Java", write: java },
  csharp: { name: "C#", write: csharp },
  go: { name: "Go", write: go },
  php: { name: "PHP", write: php },
} satisfies Record<string, Kind>;

export type Language = keyof typeof languages;

export const choices = Object.keys(languages)
  .filter(isLanguage)
  .map((value) => ({ value, label: languages[value].name }));

const KEY = "code_language";

function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(languages, name);
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
    // The browser keeps nothing: the choice lasts as long as the page.
  }
}
