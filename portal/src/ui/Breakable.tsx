import { Fragment } from "react";

/** Where a name or a path may go on in the next line: after its marks, before its capitals. */
const BREAKS = /(?<=[./_:-])(?=[^./_:-])|(?<=[\p{Ll}\d])(?=\p{Lu})/u;
/** More places are not needed: what is longer is cut or breaks anywhere. */
const PARTS_MAX = 60;

/** A name, a type or a path that breaks between its words, not inside of one. */
export function Breakable({ children }: { children: string }) {
  return children.split(BREAKS).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && at < PARTS_MAX && <wbr />}
      {part}
    </Fragment>
  ));
}
