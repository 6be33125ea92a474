import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type SigningAlgorithm,
  type SigningKey,
  revokeSigningKey,
  signingKeys,
  turnSigningKey,
} from "../api/queries/signing_keys";
import { text } from "../text/text";
import { Badge, type Tone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Empty } from "../ui/Empty";
import { FormDialog } from "../ui/FormDialog";
import { Loaded } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { RadioGroup } from "../ui/RadioGroup";
import { Row } from "../ui/Row";
import { type Column, Table } from "../ui/Table";
import { Time } from "../ui/Time";
import { inForce } from "../ui/in_force";

const words = text.admin.signingKeys;

export function SigningKeysPage() {
  const query = useQuery(signingKeys);
  const [isTurning, setTurning] = useState(false);
  const [revoking, setRevoking] = useState<SigningKey | null>(null);
  const turn = (
    <Button look="primary" onPress={() => setTurning(true)}>
      {words.turn}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={turn}>
      <Loaded query={query}>
        {({ items }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty>{words.empty}</Empty>
            ) : (
              <Table
                label={words.title}
                columns={columnsOf(setRevoking)}
                rows={items}
                keyOf={({ id }) => id}
              />
            )}
          </Card>
        )}
      </Loaded>
      {isTurning && <Turn onClose={() => setTurning(false)} />}
      {revoking && (
        <ConfirmDialog
          title={words.revokeTitle(revoking.name)}
          confirm={words.confirm}
          typed={revoking.name}
          onConfirm={() => inForce(revokeSigningKey(revoking.id), words.revoked(revoking.name))}
          onClose={() => setRevoking(null)}
        >
          <p>{words.revokeLead[revoking.state]}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

const TONES: Record<SigningKey["state"], Tone> = {
  next: "information",
  signing: "good",
  retired: "quiet",
};

function columnsOf(revoke: (key: SigningKey) => void): readonly Column<SigningKey>[] {
  const time = (at: string | null | undefined) => (at ? <Time at={at} /> : "–");
  return [
    { title: words.name, isName: true, cell: ({ name }) => <code>{name}</code> },
    { title: words.algorithm, cell: ({ algorithm }) => algorithm },
    {
      title: words.state,
      cell: ({ state }) => <Badge tone={TONES[state]}>{words.states[state]}</Badge>,
    },
    { title: words.from, cell: ({ signs_from }) => time(signs_from) },
    { title: words.until, cell: ({ signs_until }) => time(signs_until) },
    { title: words.ends, cell: ({ ends_at }) => time(ends_at) },
    {
      title: "",
      cell: (key) => (
        <Row>
          <Button small aria-label={words.revokeOf(key.name)} onPress={() => revoke(key)}>
            {words.revoke}
          </Button>
        </Row>
      ),
    },
  ];
}

const ALGORITHMS: readonly SigningAlgorithm[] = ["ES256", "EdDSA", "RS256", "PS256"];

function Turn({ onClose }: { onClose: () => void }) {
  const [algorithm, setAlgorithm] = useState<SigningAlgorithm>("ES256");
  const submit = async () => {
    await inForce(turnSigningKey(algorithm), words.turned);
    onClose();
  };
  return (
    <FormDialog title={words.turnTitle} submit={words.turnIt} onSubmit={submit} onClose={onClose}>
      <p>{words.turnLead}</p>
      <RadioGroup<SigningAlgorithm>
        label={words.algorithm}
        value={algorithm}
        onChange={setAlgorithm}
        choices={ALGORITHMS.map((value) => ({
          value,
          label: value,
          detail: words.about[value],
        }))}
        pointer="/algorithm"
      />
    </FormDialog>
  );
}
