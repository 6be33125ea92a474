// The preview of a new document: its differences, choices about the draft's settings, and "Save to
// draft". Nothing is saved before.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import {
  type ReplacedDocument,
  type ReplacementChoice,
  replaceDocument,
  replacement,
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
import { NOT_BY_DOCUMENT, SecurityChoice } from "../import/SecurityChoice";
import type { Shown } from "../versions/VersionFrame";
import { ChangeCards } from "./ChangeCards";
import styles from "./Document.module.css";
import { RenamesCard } from "./RenamesCard";
import { StaleNote } from "./StaleNote";
import { countOf, judgedChanges } from "./judged_changes";
import { useStaleDraft } from "./use_stale_draft";

const words = text.publisher.version.document;

const NO_CHOICE: ReplacementChoice = {
  ...NOT_BY_DOCUMENT,
  isUpstreamProposed: false,
  isFollowing: false,
};

interface ReplacePreviewProps {
  shown: Shown;
  source: Source;
  onSaved: () => void;
  /** Called if the user wants to choose another document. */
  onOther: () => void;
  /** Called if the document shall become another version. */
  onVersion: () => void;
}

export function ReplacePreview(props: ReplacePreviewProps) {
  const { shown, source, onSaved, onOther, onVersion } = props;
  const { id } = shown.version;
  const [choice, setChoice] = useState(NO_CHOICE);
  const { base, changes, save } = useStaleDraft(id, shown.draft);
  // The choices that there are do not depend on those made.
  const proposed = useQuery(replacement(id, source, NO_CHOICE, base.etag)).data?.value;
  const query = useQuery({
    ...replacement(id, source, choice, base.etag),
    placeholderData: keepPreviousData,
  });
  const start = useRef<HTMLDivElement>(null);
  useEffect(() => start.current?.focus(), []);
  const compared = query.data;
  const submit = async () => {
    if (!compared) return;
    const isSaved = await save(() => replaceDocument(id, source, choice, compared.etag));
    if (isSaved) onSaved();
  };
  return (
    <div ref={start} tabIndex={-1} className={styles["start"]}>
      <Form label={words.replace.rest.title} onSubmit={submit}>
        {(isPending) => (
          <>
            <LeaveGuard isDirty />
            {changes && <StaleNote changes={changes}>{words.stale.lead}</StaleNote>}
            <Grid columns="2-1">
              <Grid columns="1">
                {query.isPending && <Skeleton />}
                {query.isError && <DocumentFaults error={query.error} source={source} />}
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
                  onChange={setChoice}
                />
              )}
            </Grid>
            <div className={styles["end"]}>
              <Actions>
                {!query.isError && (
                  <Button
                    type="submit"
                    look="primary"
                    isPending={isPending}
                    why={query.isFetching ? words.comparing : undefined}
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
    </div>
  );
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
}

function Choices({ id, replaced, choice, onChange }: ChoicesProps) {
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
