import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Successor } from "../../api/queries/catalogue";
import type { Subscription } from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { MoveDialog } from "./MoveDialog";
import { type Movable, isMoved, mayMove } from "./moving";

const words = text.moving;

interface MoveButtonProps {
  subscription: Movable;
  successor: Successor;
  /** Subscriptions of the application, among them one to the successor if it has that. */
  all: readonly Pick<Subscription, "application" | "version">[];
}

/** Opens the dialog to move; a link to the successor if the application cannot move, or has. */
export function MoveButton({ subscription, successor, all }: MoveButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { api_name, version_name } = subscription;
  const link = isMoved(subscription, successor, all) ? words.subscribed : words.see;
  return (
    <>
      {mayMove(subscription, successor, all) ? (
        <Button
          small
          aria-label={words.label(successor.name, `${api_name} ${version_name}`)}
          onPress={() => setOpen(true)}
        >
          {text.ui.withEllipsis(words.move(successor.name))}
        </Button>
      ) : (
        <Link {...paths.version(successor.id)}>{link(successor.name)}</Link>
      )}
      {isOpen && (
        <MoveDialog
          subscription={subscription}
          successor={successor}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
