import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Filters } from "../../ui/Filters";
import { ShowAll } from "../../ui/List";
import { Note } from "../../ui/Note";
import { Sentence } from "../../ui/Sentence";
import { OperationTable } from "./OperationTable";
import { OperationsDialog } from "./OperationsDialog";
import { type Shown, VersionFrame } from "./VersionFrame";
import { type OperationRow, findOperations, operationRows } from "./operation_rows";

const words = text.publisher.version.operations;
const route = getRouteApi("/shell/publisher/publish/versions/$version/operations");

export function VersionOperationsPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.operations}>
      {(shown) => <Operations shown={shown} />}
    </VersionFrame>
  );
}

function Operations({ shown }: { shown: Shown }) {
  const search = route.useSearch();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<readonly OperationRow[] | null>(null);
  const draft = shown.draft.value;
  const rows = useMemo(() => operationRows(draft), [draft]);
  const found = useMemo(() => findOperations(rows, search), [rows, search]);
  if (rows.length === 0) {
    const document = (
      <ButtonLink {...paths.versionDocument(shown.version.id)}>{words.document}</ButtonLink>
    );
    return (
      <Card flush>
        <Empty action={document}>{words.empty}</Empty>
      </Card>
    );
  }
  const notes = shown.draft.notes.filter(({ field }) => field.startsWith("/operations"));
  return (
    <>
      {notes.length > 0 && (
        <Note tone="warning">
          {notes.map(({ field, detail }) => (
            <p key={field}>
              <Sentence>{detail}</Sentence>
            </p>
          ))}
        </Note>
      )}
      <Filters search={search} label={words.search} filters={{ show: words.show }} />
      {found.length === 0 ? (
        <Card flush>
          <Empty action={<ShowAll />}>{words.noHit}</Empty>
        </Card>
      ) : (
        <OperationTable
          key={JSON.stringify(search)}
          rows={rows}
          found={found}
          selected={selected}
          onSelect={setSelected}
          onEdit={setEdited}
        />
      )}
      {edited && (
        <OperationsDialog shown={shown} operations={edited} onClose={() => setEdited(null)} />
      )}
    </>
  );
}
