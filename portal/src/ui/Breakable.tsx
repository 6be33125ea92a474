import { Fragment } from "react";

/** Positions where a name or a path may break: after punctuation, before capitals. */
const BREAKS = /(?<=[./_:-])(?=[^./_:-])|(?<=[\p{Ll}\d])(?=\p{Lu})/u;
/** Maximum number of parts: longer names are cut or break anywhere. */
const PARTS_MAX = 60;

/** A name, a type or a path that breaks between words, not inside a word. */
export function Breakable({ children }: { children: string }) {
  return children.split(BREAKS).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && at < PARTS_MAX && <wbr />}
      {part}
    </Fragment>
  ));
}
