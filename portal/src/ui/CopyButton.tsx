import { useState } from "react";
import { text } from "../text/text";
import { Announced } from "./Announced";
import { Button } from "./Button";
import { Icon } from "./Icon";

interface CopyButtonProps {
  value: string;
  /** Names the copied text. */
  label: string;
  isQuiet?: boolean;
}

type Outcome = "none" | "copied" | "refused";

/** Copies a text; if the browser refuses, suggests selecting the text manually. */
export function CopyButton({ value, label, isQuiet }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>("none");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setOutcome("copied");
    } catch {
      setOutcome("refused");
    }
    setTimeout(() => setOutcome("none"), 2_000);
  };
  return (
    <>
      <Button
        small
        look={isQuiet ? "quiet" : "plain"}
        aria-label={`${text.ui.copy}: ${label}`}
        onPress={() => void copy()}
      >
        <Icon name={outcome === "copied" ? "done" : "copy"} />
        {outcome === "refused" && text.ui.copyRefused}
      </Button>
      <Announced>{outcome === "copied" ? text.ui.copied : ""}</Announced>
    </>
  );
}
