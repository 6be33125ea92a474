import { text } from "../../text/text";
import { Card, Facts } from "../../ui/Card";
import { Disclosure } from "../../ui/Disclosure";

const words = text.admin.plans.elsewhere;

/** The words of other products for what the form has. */
export function Elsewhere() {
  return (
    <Card>
      <Disclosure title={words.title}>
        <Facts facts={words.facts} />
      </Disclosure>
    </Card>
  );
}
