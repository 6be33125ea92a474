// The preview of a new document: its differences, choices about the draft's settings, and "Save to
// draft". Nothing is saved before.

import type { ReactNode } from "react";
import {
  type ReplacedDocument,
  type ReplacementChoice,
  replaceDocument,
} from "../../api/queries/documents";
import { type Source, previewNotes } from "../../api/queries/imports";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { Actions } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { Skeleton } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { DocumentFaults } from "../import/DocumentFaults";
import { NotesCard } from "../import/NotesCard";
import { SecurityChoice } from "../import/SecurityChoice";
import { placeNames } from "../policies/fault_lead";
import { readPolicies } from "../policies/policy_fields";
import { FaultLink } from "../versions/FaultLink";
import type { Shown } from "../versions/VersionFrame";
import { ChangeCards } from "./ChangeCards";
import styles from "./Document.module.css";
import { RenamesCard } from "./RenamesCard";
import { StaleNote } from "./StaleNote";
import { StepStart } from "./StepStart";
import { countOf, judgedChanges } from "./judged_changes";
import { useReplacement } from "./use_replacement";
import { useStaleDraft } from "./use_stale_draft";

const words = text.publisher.version.document;

interface ReplacePreviewProps {
  shown: Shown;
  source: Source;
  choice: ReplacementChoice;
  onChoice: (choice: ReplacementChoice) => void;
  onSaved: () => void;
  /** Called if the user wants to choose another document. */
  onOther: () => void;
  /** Called if the document shall become another version. */
  onVersion: () => void;
}

export function ReplacePreview(props: ReplacePreviewProps) {
  const { shown, source, choice, onChoice, onSaved, onOther, onVersion } = props;
  const { id } = shown.version;
  const { base, changes, save } = useStaleDraft(id, shown.draft);
  const effects = useReplacement(id, source, choice, base.etag);
  const { proposed, comparison } = effects;
  const compared = comparison.data;
  const submit = async () => {
    if (!compared) return;
    const isSaved = await save(() => replaceDocument(id, source, choice, compared.etag));
    if (isSaved) onSaved();
  };
  return (
    <StepStart>
      <Form label={words.replace.rest.title} onSubmit={submit} elsewhere={placeIn(shown)}>
        {(isPending) => (
          <>
            <LeaveGuard isDirty />
            {changes && <StaleNote changes={changes}>{words.stale.lead}</StaleNote>}
            <Grid columns="2-1">
              <Grid columns="1">
                {comparison.isPending && <Skeleton />}
                {comparison.isError && (
                  <DocumentFaults
                    error={comparison.error}
                    source={source}
                    placeOf={placeIn(shown)}
                  />
                )}
                {compared && (
                  <ChangeCards
                    compared={{ difference: compared.value.difference, operations: compared.value }}
                  />
                )}
              </Grid>
              {proposed && (
                <Choices
                  id={id}
                  replaced={compared?.value ?? proposed}
                  choice={choice}
                  onChange={onChoice}
                  upstreamFault={effects.upstreamFault}
                />
              )}
            </Grid>
            <div className={styles["end"]}>
              <Actions>
                {!comparison.isError && (
                  <Button
                    type="submit"
                    look="primary"
                    isPending={isPending}
                    why={effects.isFetching ? words.comparing : undefined}
                  >
                    {words.save}
                  </Button>
                )}
                <Button onPress={onOther}>{words.other}</Button>
                {compared && breaks(compared.value) && (
                  <Button onPress={onVersion}>{words.newVersion}</Button>
                )}
              </Actions>
            </div>
          </>
        )}
      </Form>
    </StepStart>
  );
}

/** Steps of some operations: if none of these is left, steps are set aside, and others move. */
const OF_OPERATIONS = /^(\/policies\/operations)\/\d+\/(?!cache).*$/;

/** Returns a function that names places in the policies of the draft; undefined for others. */
function placeIn({ version, draft }: Shown): (pointer: string) => ReactNode {
  return (pointer) => {
    if (!pointer.startsWith("/policies")) return undefined;
    const name = placeNames(readPolicies(draft.value))(pointer.replace(OF_OPERATIONS, "$1"));
    return <FaultLink version={version.id} pointer={pointer} name={name} />;
  };
}

/** Returns whether the document breaks callers. */
function breaks(replaced: ReplacedDocument): boolean {
  const { difference } = replaced;
  return countOf(judgedChanges({ difference, operations: replaced })).breaking > 0;
}

interface ChoicesProps {
  /** The version. */
  id: string;
  replaced: ReplacedDocument;
  choice: ReplacementChoice;
  onChange: (choice: ReplacementChoice) => void;
  /** Why the proposed upstream cannot be taken. */
  upstreamFault: string | undefined;
}

function Choices({ id, replaced, choice, onChange, upstreamFault }: ChoicesProps) {
  const { difference, proposed_security, proposed_upstream, notes } = replaced;
  return (
    <Grid columns="1">
      <Card title={words.security.title}>
        <SecurityChoice
          proposed={proposed_security ?? undefined}
          chosen={choice}
          onChange={(chosen) => onChange({ ...choice, ...chosen })}
          otherwise={words.security.otherwise}
          none={words.security.none}
        />
      </Card>
      {difference && difference.renames.length > 0 && (
        <RenamesCard
          renames={difference.renames}
          isFollowing={choice.isFollowing}
          onChange={(isFollowing) => onChange({ ...choice, isFollowing })}
        />
      )}
      {proposed_upstream && (
        <Card title={words.upstream.title} note={words.upstream.lead}>
          <Checkbox
            isSelected={choice.isUpstreamProposed}
            onChange={(isUpstreamProposed) => onChange({ ...choice, isUpstreamProposed })}
            hint={proposed_upstream}
            pointer="/upstream"
            fault={upstreamFault}
          >
            {text.publisher.import.form.takeUpstream}
          </Checkbox>
          <div>
            <ButtonLink small {...paths.versionUpstream(id)}>
              {words.upstream.edit}
            </ButtonLink>
          </div>
        </Card>
      )}
      {notes.length > 0 && <NotesCard notes={previewNotes(notes)} />}
    </Grid>
  );
}
