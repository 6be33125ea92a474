import type { Subscription } from "../../api/queries/subscriptions";
import { Ending } from "../deprecation/Ending";
import { MoveButton } from "./MoveButton";
import { successorOf } from "./moving";

interface MovingOnProps {
  subscription: Subscription;
  /** The subscriptions of its application. */
  all: readonly Subscription[];
}

/** Marks a subscription to a deprecated version, with the button to move to its successor. */
export function MovingOn({ subscription, all }: MovingOnProps) {
  const { deprecation } = subscription;
  if (!deprecation) return null;
  const successor = successorOf(deprecation);
  return (
    <Ending deprecation={deprecation}>
      {successor && <MoveButton subscription={subscription} successor={successor} all={all} />}
    </Ending>
  );
}
