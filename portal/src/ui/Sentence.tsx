import { sentence } from "../text/sentence";

/** A detail of the API as a sentence; names and values in backticks are code. */
export function Sentence({ children }: { children: string }) {
  // Every second part is between two backticks.
  const parts = sentence(children).split("`");
  if (parts.length % 2 === 0) return parts.join("`");
  return parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
