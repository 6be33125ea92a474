import { text } from "../text/text";
import { Code } from "../ui/Code";
import type { Language } from "./snippets/chosen_language";
import { languages } from "./snippets/languages";
import type { Snippet } from "./snippets/snippet";

/** A code sample in a language other than curl; loaded on demand. */
export default function OtherCode({ language, snippet }: { language: Language; snippet: Snippet }) {
  return <Code value={languages[language](snippet)} label={text.reference.code.title} tall />;
}
