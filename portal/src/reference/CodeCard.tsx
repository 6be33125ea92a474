import { lazy, Suspense, useState } from "react";
import type { Security } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Code } from "../ui/Code";
import { Select } from "../ui/Field";
import { snippetOf } from "./snippets/credentials";
import { chooseLanguage, chosenLanguage, choices } from "./snippets/chosen_language";
import { curl } from "./snippets/curl";
import { variablesOf } from "./snippets/snippet";
import type { Draft } from "./use_draft";

const OtherCode = lazy(() => import("./OtherCode"));

const words = text.reference.code;

/** The present call in the language that somebody has chosen. */
export function CodeCard({ security, draft }: { security: Security; draft: Draft }) {
  const [language, setLanguage] = useState(chosenLanguage);
  const snippet = snippetOf(security, draft);
  const variables = variablesOf(snippet.credentials);
  const shown = snippet.form ? "curl" : language;
  const choice = !snippet.form && (
    <Select
      label={words.language}
      isLabelHidden
      value={language}
      choices={choices}
      onChange={(chosen) => {
        chooseLanguage(chosen);
        setLanguage(chosen);
      }}
    />
  );
  return (
    <Card
      title={words.title}
      note={variables.length > 0 ? words.placeholders(variables) : undefined}
      actions={choice}
    >
      {shown === "curl" ? (
        <Code value={curl(snippet)} label={words.title} tall />
      ) : (
        <Suspense>
          <OtherCode language={shown} snippet={snippet} />
        </Suspense>
      )}
    </Card>
  );
}
