import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Deprecation, changeDeprecation } from "../../api/queries/lifecycle";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card, Facts } from "../../ui/Card";
import { Dialog } from "../../ui/Dialog";
import { DialogForm } from "../../ui/FormDialog";
import { Loaded } from "../../ui/Loaded";
import { VersionState } from "../../ui/State";
import { Sunset } from "../../ui/Sunset";
import { Time } from "../../ui/Time";
import { inForce } from "../../ui/in_force";
import type { Shown } from "../versions/VersionFrame";
import { TermsFields } from "./TermsFields";
import { changedTerms, termsOf } from "./terms";
import { siblingsAmong, successorsAmong } from "./use_siblings";

const words = text.publisher.version.deprecation;

interface DeprecationProps {
  shown: Shown;
  deprecation: Deprecation;
}

/** The deprecation of a version as its callers see it, and a form to change it until it retires. */
export function DeprecationCard({ shown, deprecation }: DeprecationProps) {
  const [isEditing, setEditing] = useState(false);
  const { since, sunset, successor } = deprecation;
  return (
    <Card
      title={words.title}
      actions={
        shown.version.state === "deprecated" && (
          <Button small onPress={() => setEditing(true)}>
            {words.edit}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [words.since, <Time at={since} />],
          [words.sunset, sunset ? <Sunset at={sunset} /> : words.noSunset],
          [
            words.successor,
            successor ? (
              <p>
                <Link {...paths.ownVersion(successor.id)}>{successor.name}</Link>{" "}
                <VersionState state={successor.state} />
              </p>
            ) : (
              words.noSuccessor
            ),
          ],
          [words.text, deprecation.text || text.ui.none],
        ]}
      />
      {isEditing && <EditDialog {...{ shown, deprecation }} onClose={() => setEditing(false)} />}
    </Card>
  );
}

interface EditDialogProps extends DeprecationProps {
  onClose: () => void;
}

/** The dialog; its form needs the other versions, one of which may be the successor. */
function EditDialog({ shown: { api, version }, deprecation, onClose }: EditDialogProps) {
  const query = useQuery(versionsOfApi(version.api).whole);
  const title = words.editTitle(text.publisher.version.named(api.name, version.name));
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Loaded query={query}>
        {({ items }) => (
          <EditForm
            {...{ deprecation, onClose }}
            version={version.id}
            successors={successorsAmong(siblingsAmong(items, version.id))}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

interface EditFormProps extends Pick<EditDialogProps, "deprecation" | "onClose"> {
  version: string;
  successors: readonly VersionOverview[];
}

function EditForm({ version, deprecation, successors, onClose }: EditFormProps) {
  // The fields start with what is there when the dialog opens.
  const [before] = useState(() => termsOf(deprecation));
  const [terms, setTerms] = useState(before);
  const submit = async () => {
    await inForce(changeDeprecation(version, changedTerms(before, terms)), words.saved);
    onClose();
  };
  return (
    <DialogForm submit={text.ui.save} onSubmit={submit} onClose={onClose}>
      <TermsFields terms={terms} onChange={setTerms} successors={successors} />
    </DialogForm>
  );
}
