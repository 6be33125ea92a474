// The contract of a draft: its report, and its replacement, which is saved to the draft without a
// preview.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ReplacedContract, replaceContract } from "../../api/queries/documents";
import type { Source } from "../../api/queries/imports";
import { contract } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Actions } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { Loaded } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { ContractReport } from "../import/ContractReport";
import { SourceStep } from "../import/SourceStep";
import { FaultLink } from "../versions/FaultLink";
import type { Shown } from "../versions/VersionFrame";
import { ContractChanges } from "./ContractChanges";
import { FactsCard } from "./FactsCard";
import { Lead } from "./Lead";
import { type SavedOver, SavedNote } from "./SavedNote";
import { StaleNote } from "./StaleNote";
import { useStaleDraft } from "./use_stale_draft";

const words = text.publisher.version.document;

/** A saved contract. */
interface Saved extends SavedOver {
  replaced: ReplacedContract;
}

export function SoapDocument({ shown }: { shown: Shown }) {
  const [source, setSource] = useState<Source | null>(null);
  const [saved, setSaved] = useState<Saved | null>(null);
  if (source) {
    return (
      <SaveContract
        key={source.id}
        shown={shown}
        source={source}
        onSaved={(replaced) => {
          setSaved({ replaced, deployed: shown.version.deployed_revision });
          setSource(null);
        }}
        onOther={() => setSource(null)}
      />
    );
  }
  return (
    <Grid columns="1">
      <SavedNote shown={shown} saved={saved}>
        {words.saved.contract}
      </SavedNote>
      {saved && <ContractChanges replaced={saved.replaced} />}
      <Grid columns="2">
        <FactsCard shown={shown} />
        <Report id={shown.version.id} />
      </Grid>
      <Lead {...words.replace.contract} />
      <SourceStep form="wsdl" onSource={setSource} />
    </Grid>
  );
}

function Report({ id }: { id: string }) {
  const query = useQuery(contract(id));
  return (
    <Card title={words.report}>
      <Loaded query={query}>{(report) => <ContractReport report={report} />}</Loaded>
    </Card>
  );
}

interface SaveContractProps {
  shown: Shown;
  source: Source;
  onSaved: (replaced: ReplacedContract) => void;
  onOther: () => void;
}

function SaveContract({ shown, source, onSaved, onOther }: SaveContractProps) {
  const { id } = shown.version;
  const { base, changes, save } = useStaleDraft(id, shown.draft);
  const submit = async () => {
    await save(async () => onSaved(await replaceContract(id, source, base.etag)));
  };
  return (
    <Form
      label={words.contract.title}
      onSubmit={submit}
      elsewhere={(pointer) => <FaultLink version={id} pointer={pointer} />}
    >
      {(isPending) => (
        <>
          <LeaveGuard isDirty />
          {changes && <StaleNote changes={changes}>{words.stale.contractLead}</StaleNote>}
          <Card title={words.contract.title} note={source.name || words.contract.pasted}>
            <p>{words.contract.kept}</p>
            <Actions>
              <Button type="submit" look="primary" isPending={isPending} autoFocus>
                {words.save}
              </Button>
              <Button onPress={onOther}>{words.other}</Button>
            </Actions>
          </Card>
        </>
      )}
    </Form>
  );
}
