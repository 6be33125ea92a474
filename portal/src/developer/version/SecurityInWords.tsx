import type { Security } from "../../api/queries/catalogue";
import { text } from "../../text/text";
import styles from "./SecurityInWords.module.css";

const words = text.developer.version;
/** The header of keys where the version names none. */
export const DEFAULT_KEY_HEADER = "apikey";

/** What a call carries. */
export function SecurityInWords({ security }: { security: Security }) {
  const schemes = schemesInWords(security);
  const scopes = Object.entries(security.scopes ?? {});
  return (
    <>
      {schemes.length > 1 && <p>{security.require === "all" ? words.all : words.any}</p>}
      <ul className={styles["schemes"]}>
        {schemes.map((scheme) => (
          <li key={scheme}>{scheme}</li>
        ))}
      </ul>
      {scopes.length > 0 && (
        <>
          <h3>{words.scopes}</h3>
          <dl className={styles["scopes"]}>
            {scopes.map(([scope, allows]) => (
              <div key={scope}>
                <dt>
                  <code>{scope}</code>
                </dt>
                <dd>{allows}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function schemesInWords({ api_key, oauth2, basic }: Security): string[] {
  const schemes: string[] = [];
  if (api_key) {
    const query = api_key.query ? words.apiKeyInQuery(api_key.query) : "";
    schemes.push(words.apiKey(api_key.header ?? DEFAULT_KEY_HEADER) + query);
  }
  if (oauth2) schemes.push(words.oauth2);
  if (basic) schemes.push(words.basic);
  return schemes;
}
