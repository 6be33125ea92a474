import { Fragment, type ReactNode, useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { DeprecationNote } from "../developer/deprecation/DeprecationNote";
import { text } from "../text/text";
import { Badge, Method } from "../ui/Badge";
import { Breakable } from "../ui/Breakable";
import { Icon } from "../ui/Icon";
import { Page } from "../ui/Page";
import { crumbsOf } from "./ChosenOperation";
import type { Contents, OperationHead } from "./document/operations";
import { PLACEHOLDER } from "./document/parameters";
import { Faults } from "./Faults";
import { OperationList } from "./OperationList";
import styles from "./OperationPage.module.css";

const words = text.reference;
/** Id of the operation's description. */
export const MIDDLE = "operation";

interface OperationPageProps {
  entry: CatalogueEntry;
  contents: Contents;
  head: OperationHead;
  download: ReactNode;
  /** Called with the slug of an operation that may be opened next. */
  onIntent?: (slug: string) => void;
  /** Details of the operation, and a form to try it. */
  children: ReactNode;
}

/** Operations on the left, the selected one in the middle, try-it on the right. */
export function OperationPage({ download, children, ...shown }: OperationPageProps) {
  const { entry, contents, head } = shown;
  return (
    <Page
      title={head.title}
      state={head.isDeprecated && <Badge tone="warning">{words.deprecated}</Badge>}
      lead={<Address entry={entry} head={head} />}
      crumbs={crumbsOf(entry)}
      actions={download}
      isWide
    >
      <DeprecationNote deprecation={entry.deprecation} />
      <Faults faults={contents.faults} />
      <div className={styles["columns"]} data-alone={head.isWebhook}>
        <Operations {...shown} />
        {/* Input and response belong to one operation. */}
        <Fragment key={head.slug}>{children}</Fragment>
      </div>
    </Page>
  );
}

function Address({ entry, head }: { entry: CatalogueEntry; head: OperationHead }) {
  const parts = head.path.split(PLACEHOLDER);
  return (
    <span className={styles["address"]}>
      <Method name={head.badge ?? head.method} />
      {head.isWebhook ? (
        <span>
          {words.webhook.title} <code>{head.path}</code>
        </span>
      ) : (
        <code>
          <Breakable>{entry.path}</Breakable>
          {parts.map((part, at) => {
            if (at % 2 === 0) return <Breakable key={at}>{part}</Breakable>;
            return (
              <Fragment key={at}>
                <wbr />
                <b>{`{${part}}`}</b>
              </Fragment>
            );
          })}
        </code>
      )}
    </span>
  );
}

type OperationsProps = Omit<OperationPageProps, "download" | "children">;

/** In a narrow window, a button with the current operation opens the list. */
function Operations({ entry, contents, head, ...list }: OperationsProps) {
  // The list closes when another operation is selected.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === head.slug;
  const { operations } = contents;
  const at = operations.findIndex(({ slug }) => slug === head.slug);
  return (
    <div className={styles["left"]} data-open={isOpen || undefined}>
      <button
        type="button"
        className={styles["toggle"]}
        aria-expanded={isOpen}
        onClick={() => setOpenAt(isOpen ? undefined : head.slug)}
      >
        <span className={styles["where"]}>
          {[head.tags[0], head.title].filter(Boolean).join(" / ")}
        </span>
        <span className={styles["count"]}>{words.place(at + 1, operations.length)}</span>
        <Icon name="down" />
      </button>
      <div className={styles["list"]}>
        <OperationList
          version={entry.version}
          contents={contents}
          present={head.slug}
          after={MIDDLE}
          {...list}
        />
      </div>
    </div>
  );
}
