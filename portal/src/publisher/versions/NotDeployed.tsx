// The bar "3 changes not deployed": leads to the difference of the draft from the served revision,
// and to the dialog that deploys it.

import { useState } from "react";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { DeployDialog } from "./DeployDialog";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.deploy;

interface NotDeployedProps {
  shown: Shown;
  isPrimary: boolean;
}

export function NotDeployed({ shown, isPrimary }: NotDeployedProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, deployed_revision: deployed, changes } = shown.version;
  if (deployed == null || !changes) return null;
  return (
    <>
      <Note
        tone="warning"
        actions={
          <>
            <ButtonLink small {...paths.versionRevisions(id, { from: "deployed", to: "draft" })}>
              {words.difference}
            </ButtonLink>
            <Button small look={isPrimary ? "primary" : "plain"} onPress={() => setOpen(true)}>
              {words.deploy}
            </Button>
          </>
        }
      >
        <strong>{words.notDeployed(changes)}</strong> {words.served(deployed)}
      </Note>
      {isOpen && <DeployDialog shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
}
