import { useState } from "react";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { ProblemNote } from "../ui/ProblemNote";
import { Bare } from "./Bare";
import { reloadForStyles } from "./lazy_page";

export function BrokenPage({ error }: { error: unknown }) {
  const [isReloading] = useState(() => reloadForStyles(error));
  if (isReloading) return null;
  const words = text.ui.broken;
  return (
    <Bare title={words.title}>
      <p>{words.lead}</p>
      <ProblemNote error={error} />
      <div>
        <Button look="primary" onPress={() => location.reload()}>
          {words.reload}
        </Button>
      </div>
    </Bare>
  );
}
