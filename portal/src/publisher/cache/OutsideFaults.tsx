// Faults that no field of the page shows: a step may have a fault because of a cache.

import { text } from "../../text/text";
import { useFaults } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { Sentence } from "../../ui/Sentence";

const words = text.publisher.version.cache;
const INSIDE = /^\/policies\/(operations\/\d+\/)?cache(\/|$)/;

export function OutsideFaults() {
  // Those without a field are in the note of the problem.
  const faults = useFaults("").filter(({ field }) => field !== "" && !INSIDE.test(field));
  if (faults.length === 0) return null;
  return (
    <Note tone="bad">
      <p>
        <strong>{words.outside(faults.length)}</strong>
      </p>
      <ul>
        {faults.map(({ field, detail }) => (
          <li key={`${field} ${detail}`}>
            <code>{field}</code> <Sentence>{detail}</Sentence>
          </li>
        ))}
      </ul>
    </Note>
  );
}
