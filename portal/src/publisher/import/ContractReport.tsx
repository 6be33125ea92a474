// The import report of a SOAP contract: supported and unsupported parts.

import type { ContractReport as Report } from "../../api/queries/imports";
import { bytes } from "../../text/format";
import { text } from "../../text/text";
import { LongList } from "../../ui/LongList";
import styles from "./Found.module.css";

const words = text.publisher.import.report;

export function ContractReport({ report }: { report: Report }) {
  const uncallable = report.resources?.filter(({ proxy_only }) => proxy_only) ?? [];
  return (
    <>
      <h3>{words.documents}</h3>
      <LongList all={words.allDocuments}>
        {report.documents.map(({ uri, bytes: length }) => (
          <li key={uri}>
            <code>{uri}</code>
            <span className={styles["small"]}>{bytes(length)}</span>
          </li>
        ))}
      </LongList>
      <h3>{words.notes}</h3>
      {report.notes.length === 0 && <p>{words.noNotes}</p>}
      <LongList all={words.allNotes}>
        {report.notes.map(({ document, line, detail }, index) => (
          <li key={index}>
            <span>{detail}</span>
            <code className={styles["small"]}>{line > 0 ? `${document}:${line}` : document}</code>
          </li>
        ))}
      </LongList>
      {uncallable.length > 0 && (
        <>
          <h3>{words.resources}</h3>
          <LongList all={words.allResources}>
            {uncallable.map(({ operation, proxy_only }) => (
              <li key={operation}>
                <code>{operation}</code>
                <span className={styles["small"]}>{proxy_only}</span>
              </li>
            ))}
          </LongList>
        </>
      )}
    </>
  );
}
