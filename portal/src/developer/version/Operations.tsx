import { Link } from "@tanstack/react-router";
import type { CatalogueEntry } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Method } from "../../ui/Badge";
import { Breakable } from "../../ui/Breakable";
import { Card } from "../../ui/Card";
import { Loaded } from "../../ui/Loaded";
import styles from "./Operations.module.css";
import { useContents } from "./use_contents";

const words = text.developer.version;
/** The reference lists all of them. */
const SHOWN_MAX = 8;

/** The first operations, each with a link to the reference. */
export function Operations({ entry }: { entry: CatalogueEntry }) {
  const { version } = entry;
  const { query, contents } = useContents(entry);
  const operations = contents?.operations.filter(({ isWebhook }) => !isWebhook) ?? [];
  return (
    <Card title={words.operations}>
      <Loaded query={query}>
        {() => (
          <>
            {operations.length === 0 && <p>{text.reference.noOperations}</p>}
            <ul className={styles["operations"]}>
              {operations.slice(0, SHOWN_MAX).map(({ slug, method, badge, title, path }) => (
                <li key={slug}>
                  <Method name={badge ?? method} />
                  <Link {...paths.operation(version, slug)}>
                    <Breakable>{title}</Breakable>
                  </Link>
                  {path !== "" && path !== title && (
                    <code>
                      <Breakable>{path}</Breakable>
                    </code>
                  )}
                </li>
              ))}
            </ul>
            {operations.length > SHOWN_MAX && (
              <Link {...paths.reference(version)}>
                {words.allOperations(count(operations.length))}
              </Link>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
