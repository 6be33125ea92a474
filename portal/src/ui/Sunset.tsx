import { dateTime } from "../text/format";
import { sunsetInWords } from "../text/sunset";
import { useNow } from "./Time";

/** The announced end of a version, with the exact time in the title. */
export function Sunset({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {sunsetInWords(at, useNow())}
    </time>
  );
}
