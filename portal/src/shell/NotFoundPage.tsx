import { paths } from "../paths";
import { text } from "../text/text";
import { ButtonLink } from "../ui/Button";
import { Bare } from "./Bare";

export function NotFoundPage() {
  const words = text.ui.notFound;
  return (
    <Bare title={words.title}>
      <p>{words.lead}</p>
      <div>
        <ButtonLink {...paths.catalogue()} look="primary">
          {words.home}
        </ButtonLink>
      </div>
    </Bare>
  );
}
