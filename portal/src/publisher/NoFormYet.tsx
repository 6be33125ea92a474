// Actions that have no form yet, with the command that performs them.

import type { ReactNode } from "react";
import { asCurl } from "../api/commands";
import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Code } from "../ui/Code";

const words = text.publisher.noForm;

interface NoFormYetProps {
  children: ReactNode;
  /** The request that does it, with example values. */
  command?: { method: "POST" | "PATCH"; path: string; body: object };
}

export function NoFormYet({ children, command }: NoFormYetProps) {
  return (
    <Card title={words.title}>
      <p>{children}</p>
      {command && (
        <>
          <Code label={words.command} value={lineOf(command)} />
          <p>{words.how}</p>
        </>
      )}
    </Card>
  );
}

function lineOf({ method, path, body }: NonNullable<NoFormYetProps["command"]>): string {
  return asCurl({
    method,
    target: `/api/v1${path}`,
    contentType: "application/json",
    ifMatch: undefined,
    body: [JSON.stringify(body)],
  });
}
