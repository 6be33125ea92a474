import { text } from "../text/text";
import { Disclosure } from "../ui/Disclosure";
import { Note } from "../ui/Note";

const words = text.reference;
/** Maximum number of faults shown. */
const FAULTS_MAX = 20;

export function Faults({ faults }: { faults: readonly string[] }) {
  if (faults.length === 0) return null;
  const shown = faults.slice(0, FAULTS_MAX);
  return (
    <Note tone="warning">
      <Disclosure title={words.faultsTitle(faults.length)}>
        <ul>
          {shown.map((fault, at) => (
            <li key={at}>{fault}</li>
          ))}
          {faults.length > shown.length && <li>{words.more(faults.length - shown.length)}</li>}
        </ul>
      </Disclosure>
    </Note>
  );
}
