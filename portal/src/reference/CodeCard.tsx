import { lazy, Suspense, useState } from "react";
import type { Security } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { Actions } from "../ui/Dialog";
import { Code } from "../ui/Code";
import { Select } from "../ui/Field";
import { saveFile } from "../ui/save_file";
import { snippetOf } from "./snippets/credentials";
import { chooseLanguage, chosenLanguage, choices } from "./snippets/chosen_language";
import { curl } from "./snippets/curl";
import { filesOf, longBodyOf, variablesOf } from "./snippets/snippet";
import type { Draft } from "./use_draft";

const OtherCode = lazy(() => import("./OtherCode"));

const words = text.reference.code;

/** The current call in the selected language. */
export function CodeCard({ security, draft }: { security: Security; draft: Draft }) {
  const [language, setLanguage] = useState(chosenLanguage);
  const snippet = snippetOf(security, draft);
  const variables = variablesOf(snippet.credentials);
  const files = filesOf(snippet);
  const notes = [
    ...(variables.length > 0 ? [words.placeholders(variables)] : []),
    ...(files.length > 0 ? [words.files(files)] : []),
  ];
  const long = longBodyOf(draft.filled.request, snippet);
  const choice = (
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
      note={notes.length > 0 ? notes.join(" ") : undefined}
      actions={choice}
    >
      {language === "curl" ? (
        <Code value={curl(snippet)} label={words.title} tall />
      ) : (
        <Suspense>
          <OtherCode language={language} snippet={snippet} />
        </Suspense>
      )}
      {long && (
        <Actions>
          <Button small onPress={() => saveFile(long, long.name)}>
            {words.download(long.name)}
          </Button>
        </Actions>
      )}
    </Card>
  );
}
