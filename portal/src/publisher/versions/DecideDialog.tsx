// A decision on a subscription: approve, reject, block, unblock.

import { useState } from "react";
import { type Status, type Subscription, decideSubscription } from "../../api/queries/subscribers";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { RadioGroup } from "../../ui/RadioGroup";
import { inForce } from "../../ui/in_force";

const words = text.publisher.version.subscriptions;

export type Decision = "approve" | "reject" | "block" | "unblock";

interface DecideDialogProps {
  subscription: Subscription;
  decision: Decision;
  onClose: () => void;
}

type Blocked = Extract<Status, "blocked" | "blocked_production">;

export function DecideDialog({ subscription, decision, onClose }: DecideDialogProps) {
  const [reason, setReason] = useState("");
  const [blocked, setBlocked] = useState<Blocked>("blocked");
  const { lead, confirm, done } = words.decide[decision];
  const name = subscription.application_name;
  const submit = async () => {
    const status = statusOf(decision, blocked);
    await inForce(decideSubscription(subscription.id, { status, reason }), done(name));
    onClose();
  };
  return (
    <FormDialog
      title={words.decide[decision].label(name)}
      submit={confirm}
      look={decision === "block" || decision === "reject" ? "danger" : "primary"}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{lead(name, planOf(subscription))}</p>
      {decision === "block" && (
        <RadioGroup<Blocked>
          label={words.which}
          value={blocked}
          onChange={setBlocked}
          choices={[
            { value: "blocked", label: words.whichAll },
            { value: "blocked_production", label: words.whichProduction },
          ]}
          pointer="/status"
        />
      )}
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        value={reason}
        onChange={setReason}
        pointer="/reason"
        lines={2}
      />
    </FormDialog>
  );
}

function statusOf(decision: Decision, blocked: Blocked): Status {
  switch (decision) {
    case "approve":
    case "unblock":
      return "active";
    case "reject":
      return "rejected";
    case "block":
      return blocked;
  }
}
