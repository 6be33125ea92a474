import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Successor } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { SubscriptionStatus } from "../../ui/State";
import { MoveDialog } from "./MoveDialog";
import { type Known, type Movable, mayMove, statusOfMove } from "./moving";

const words = text.moving;

interface MoveButtonProps {
  subscription: Movable;
  successor: Successor;
  /** Subscriptions of the application, among them one to the successor if it has that. */
  all: readonly Known[];
}

/** Opens the dialog to move; a link to the successor if the application cannot move, or has. */
export function MoveButton({ subscription, successor, all }: MoveButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  const { api_name, version_name } = subscription;
  const status = statusOfMove(subscription, successor, all);
  const linked = status === "active" ? words.subscribed : words.see;
  const hasMoved = useRef(false);
  // The dialog returns the focus to its button, which becomes a link before that or soon after.
  useEffect(() => {
    if (isOpen || !hasMoved.current || !link.current) return;
    hasMoved.current = false;
    link.current.focus();
  }, [isOpen, status]);
  const closeMoved = () => {
    hasMoved.current = true;
    setOpen(false);
  };
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
        <Link {...paths.version(successor.id)} ref={link}>
          {linked(successor.name)}
        </Link>
      )}
      {status !== undefined && status !== "active" && (
        <>
          {" "}
          <SubscriptionStatus status={status} />
        </>
      )}
      {isOpen && (
        <MoveDialog
          subscription={subscription}
          successor={successor}
          onMoved={closeMoved}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
