// The word of a rule, which opens its explanation.

import { useState } from "react";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";

const words = text.publisher.version.document;

export function RuleButton({ rule }: { rule: string }) {
  const [isOpen, setOpen] = useState(false);
  const explained = words.rules[rule];
  if (!explained) return <code>{rule}</code>;
  const close = () => setOpen(false);
  return (
    <>
      <Button small aria-label={words.change.rule(rule)} onPress={() => setOpen(true)}>
        <code>{rule}</code>
      </Button>
      {isOpen && (
        <Dialog title={explained.title} isOpen onClose={close}>
          <p>
            <code>{rule}</code>
          </p>
          <p>{explained.detail}</p>
          <Actions>
            <Button autoFocus onPress={close}>
              {text.ui.close}
            </Button>
          </Actions>
        </Dialog>
      )}
    </>
  );
}
