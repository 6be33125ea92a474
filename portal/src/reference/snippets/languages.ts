// The code generators by language.

import type { Language } from "./chosen_language";
import { csharp } from "./csharp";
import { curl } from "./curl";
import { go } from "./go";
import { java } from "./java";
import { javascript } from "./javascript";
import { php } from "./php";
import { python } from "./python";
import type { Snippet } from "./snippet";

interface Writer {
  write: (snippet: Snippet) => string;
}

export const languages: Readonly<Record<Language, Writer>> = {
  curl: { write: curl },
  javascript: { write: javascript },
  python: { write: python },
  java: { write: java },
  csharp: { write: csharp },
  go: { write: go },
  php: { write: php },
};
