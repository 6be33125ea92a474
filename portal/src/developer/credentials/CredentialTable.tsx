import type { Credential } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { InlineCode } from "../../ui/Code";
import { Row } from "../../ui/Row";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import type { Kind, Open } from "./kind";
import { endOf, previousUntil, stateOf } from "./state";
import styles from "./CredentialTable.module.css";

const words = text.developer.credentials;

interface CredentialTableProps<C extends Credential, Extra> {
  kind: Kind<C, Extra>;
  credentials: readonly C[];
  nowMs: number;
  /** Absent if they are no longer valid, so no action applies. */
  onOpen?: (open: Open<C>) => void;
}

export function CredentialTable<C extends Credential, Extra>(
  props: CredentialTableProps<C, Extra>,
) {
  const { kind, credentials, nowMs, onOpen } = props;
  const columns: Column<C>[] = [
    {
      title: words.name,
      isName: true,
      cell: (it) => (
        <>
          <div>{it.name}</div>
          <div className={styles["known"]}>
            {kind.copies ? (
              <InlineCode value={kind.shownAs(it)} label={words.shownAs} />
            ) : (
              <code>{kind.shownAs(it)}</code>
            )}
          </div>
        </>
      ),
    },
    { title: words.environment, cell: (it) => text.nouns.environments[it.environment] },
    { title: words.state, cell: (it) => <State credential={it} nowMs={nowMs} /> },
    { title: words.used, cell: (it) => <Maybe at={it.last_used_at} /> },
    { title: words.ends, cell: (it) => <Maybe at={it.revoked_at ?? endOf(it)} /> },
  ];
  if (onOpen) {
    columns.push({
      title: "",
      cell: (it) => <RowActions kind={kind} credential={it} onOpen={onOpen} />,
    });
  }
  return (
    <Table label={kind.words.title} columns={columns} rows={credentials} keyOf={({ id }) => id} />
  );
}

function State({ credential, nowMs }: { credential: Credential; nowMs: number }) {
  const { tone, word } = stateOf(credential, nowMs);
  const until = previousUntil(credential, nowMs);
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {until && (
        <div className={styles["note"]}>
          {words.twoSecrets} <Time at={until} />
        </div>
      )}
    </>
  );
}

function Maybe({ at }: { at: string | null | undefined }) {
  return at ? <Time at={at} /> : text.ui.never;
}

interface RowActionsProps<C extends Credential, Extra> {
  kind: Kind<C, Extra>;
  credential: C;
  onOpen: (open: Open<C>) => void;
}

function RowActions<C extends Credential, Extra>(props: RowActionsProps<C, Extra>) {
  const { kind, credential, onOpen } = props;
  const button = (what: "rotate" | "change" | "revoke" | "void", label: string) => (
    <Button
      small
      aria-label={`${label}: ${credential.name}`}
      onPress={() => onOpen({ what, credential })}
    >
      {text.ui.withEllipsis(label)}
    </Button>
  );
  return (
    <Row>
      {kind.canRotate(credential) && button("rotate", words.rotate)}
      {button("change", words.change)}
      {kind.voidTokens && button("void", words.voidTokens)}
      {button("revoke", words.revoke)}
    </Row>
  );
}
