import type { Deprecation } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Sunset } from "../../ui/Sunset";

const words = text.deprecation;

interface DeprecationNoteProps {
  deprecation: Deprecation | null | undefined;
}

/** The notice of a deprecated version: countdown, text, successor. Renders nothing for others. */
export function DeprecationNote({ deprecation }: DeprecationNoteProps) {
  if (!deprecation) return null;
  const { sunset, successor } = deprecation;
  return (
    <Note
      tone="warning"
      actions={
        successor && (
          <ButtonLink {...paths.version(successor.id)} small>
            {text.moving.see(successor.name)}
          </ButtonLink>
        )
      }
    >
      <p>
        {words.notice}{" "}
        {sunset ? (
          <>
            {words.it} <Sunset at={sunset} />.
          </>
        ) : (
          words.noEnd
        )}{" "}
        {!successor && words.noSuccessor}
      </p>
      {deprecation.text && <p>{deprecation.text}</p>}
    </Note>
  );
}
