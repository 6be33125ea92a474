// Shown if the user lacks a role for the page; names the missing role.

import { paths } from "../paths";
import { text } from "../text/text";
import { ButtonLink } from "../ui/Button";
import { Bare } from "./Bare";
import type { Forbidden } from "./forbidden";

export function ForbiddenPage({ forbidden }: { forbidden: Forbidden }) {
  const words = text.ui.forbidden;
  const { role } = forbidden;
  const areas = {
    administrator: text.ui.shell.admin,
    publisher: text.ui.shell.publisher,
    developer: text.ui.shell.developer,
  };
  return (
    <Bare title={words.title}>
      <p>{words.lead(areas[role], text.nouns.roles[role])}</p>
      <div>
        <ButtonLink {...paths.catalogue()} look="primary">
          {text.ui.notFound.home}
        </ButtonLink>
      </div>
    </Bare>
  );
}
