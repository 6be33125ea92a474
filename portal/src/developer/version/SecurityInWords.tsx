import type { ReactNode } from "react";
import type { Security } from "../../api/queries/catalogue";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import styles from "./SecurityInWords.module.css";

const words = text.developer.version;
/** The key header of versions that do not set one. */
export const DEFAULT_KEY_HEADER = "apikey";

/** The credentials that a call must carry. */
export function SecurityInWords({ security }: { security: Security }) {
  const schemes = schemesInWords(security);
  const scopes = Object.entries(security.scopes ?? {});
  return (
    <>
      {schemes.length > 1 && <p>{security.require === "all" ? words.all : words.any}</p>}
      <ul className={styles["schemes"]}>
        {schemes.map((scheme, at) => (
          <li key={at}>{scheme}</li>
        ))}
      </ul>
      {scopes.length > 0 && (
        <>
          <h3>{words.scopes}</h3>
          <dl className={styles["scopes"]}>
            {scopes.map(([scope, { text: allows, granted }]) => (
              <div key={scope}>
                <dt>
                  <code>{scope}</code>
                  {granted === "by_approval" && (
                    <>
                      {" "}
                      <Badge tone="information">{words.scopeByApproval}</Badge>
                    </>
                  )}
                </dt>
                <dd>{allows}</dd>
              </div>
            ))}
          </dl>
          {scopes.some(([, { granted }]) => granted === "by_approval") && (
            <p>{words.scopesByApproval}</p>
          )}
        </>
      )}
    </>
  );
}

function schemesInWords({ api_key, oauth2, basic }: Security): ReactNode[] {
  const schemes: ReactNode[] = [];
  if (api_key) {
    schemes.push(
      <>
        {words.apiKey} <code>{api_key.header ?? DEFAULT_KEY_HEADER}</code>
        {api_key.query && (
          <>
            , {words.apiKeyInQuery} <code>{api_key.query}</code>
          </>
        )}
      </>,
    );
  }
  if (oauth2) schemes.push(words.oauth2);
  if (basic) schemes.push(words.basic);
  return schemes;
}
