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

export const languages: Readonly<Record<Language, (snippet: Snippet) => string>> = {
  curl,
  javascript,
  python,
  java,
  csharp,
  go,
  php,
};
