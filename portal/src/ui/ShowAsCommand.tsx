// "Show as command": the page's HTTP API requests, to paste into a shell.

import { useState, useSyncExternalStore } from "react";
import { asCurl, commandsOfPage, subscribeToCommands } from "../api/commands";
import { currentSession } from "../api/session";
import { paths } from "../paths";
import { text } from "../text/text";
import { Button, ButtonLink } from "./Button";
import { Code } from "./Code";
import { Dialog } from "./Dialog";

export function ShowAsCommand() {
  const [isOpen, setOpen] = useState(false);
  const commands = useSyncExternalStore(subscribeToCommands, commandsOfPage);
  const isVisitor = currentSession() === null;
  const words = text.ui.command;
  const variables = [`TOLLGATE=${location.origin}`];
  if (!isVisitor) variables.push(`TOLLGATE_TOKEN='…'`);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{words.show}</Button>
      <Dialog wide title={words.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>{isVisitor ? words.explanation : `${words.explanation} ${words.token}`}</p>
        <Code label={words.variables} value={variables.join("\n")} />
        {!isVisitor && (
          <div>
            <ButtonLink {...paths.accessTokens()} small onClick={() => setOpen(false)}>
              {words.makeToken}
            </ButtonLink>
          </div>
        )}
        {commands.length === 0 ? (
          <p>{words.none}</p>
        ) : (
          <Code
            label={words.lines}
            value={commands.map((it) => asCurl(it, !isVisitor)).join("\n")}
          />
        )}
      </Dialog>
    </>
  );
}
