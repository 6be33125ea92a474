// A request or response body: its media types, and the schema of the selected one beside a sample.

import { Suspense, use, useState } from "react";
import { count } from "../text/format";
import { text } from "../text/text";
import { Code } from "../ui/Code";
import { Select } from "../ui/Field";
import { Skeleton } from "../ui/Loaded";
import { Part } from "../ui/Part";
import { isTypable } from "./document/media_types";
import type { Choice, Chosen } from "./document/choices";
import type { Body } from "./document/messages";
import { valueText } from "./document/value_text";
import { SchemaTree } from "./SchemaTree";
import styles from "./Details.module.css";

const words = text.reference.message;
/** An example may be megabytes long. */
const SAMPLE_CHARACTERS_MAX = 20_000;

interface MessageProps {
  document: unknown;
  bodies: readonly Body[];
  /** Names the body in the labels of its samples. */
  of: string;
  /** Whether it is a request: read-only members are left out of its sample. */
  isRequest: boolean;
  /** Called with the alternatives selected in the schema of a media type. */
  onChoose?: (type: string, chosen: Chosen) => void;
}

/** By media type. */
const NONE_CHOSEN: ReadonlyMap<string, Chosen> = new Map();
const NOTHING: Chosen = new Map();

export function Message({ document, bodies, of, isRequest, onChoose }: MessageProps) {
  const [type, setType] = useState(bodies[0]?.type);
  const [choices, setChoices] = useState(NONE_CHOSEN);
  const body = bodies.find((it) => it.type === type) ?? bodies[0];
  if (body === undefined) return null;
  const chosen = choices.get(body.type) ?? NOTHING;
  const choose = (next: Chosen) => {
    setChoices(new Map(choices).set(body.type, next));
    onChoose?.(body.type, next);
  };
  return (
    <div className={styles["message"]}>
      {bodies.length > 1 ? (
        <Select
          label={text.reference.body.type}
          value={body.type}
          choices={bodies.map((it) => ({ value: it.type, label: it.type }))}
          onChange={setType}
        />
      ) : (
        <p className={styles["quiet"]}>
          {text.reference.body.type} <code>{body.type}</code>
        </p>
      )}
      <div key={body.type} className={styles["beside"]}>
        {body.schema !== undefined && (
          <section className={styles["group"]}>
            <h3>{words.schema}</h3>
            <Part>
              <SchemaTree
                document={document}
                schema={body.schema}
                onChoose={(at: string, choice: Choice) => choose(new Map(chosen).set(at, choice))}
              />
            </Part>
          </section>
        )}
        <Part>
          <Suspense fallback={<Skeleton />}>
            <Sample
              document={document}
              body={body}
              of={of}
              isRequest={isRequest}
              chosen={chosen}
              onExample={() => choose(NOTHING)}
            />
          </Suspense>
        </Part>
      </div>
    </div>
  );
}

interface SampleProps extends Omit<MessageProps, "bodies" | "onChoose"> {
  body: Body;
  chosen: Chosen;
  /** Called when an example replaces the selected alternatives. */
  onExample: () => void;
}

/** The sample generated from the schema, among the examples. */
const MADE = "made";

let loading: Promise<typeof import("./document/body")> | undefined;

/** The generator of samples, loaded with the first one that is not an example. */
const loadSamples = () => (loading ??= import("./document/body"));

/** One of the document's examples, or a value generated from the schema with its alternatives. */
function Sample({ document, body, of, isRequest, chosen: alternatives, onExample }: SampleProps) {
  const [at, setAt] = useState("0");
  const { examples = [] } = body;
  const chosen = examples[Number(at)];
  const isMade = alternatives.size > 0;
  const example = chosen ? chosen.value : body.example;
  if (!isTypable(body.type) && example === undefined) return null;
  // The only example of a request is checked.
  const isKnown = chosen !== undefined || (!isRequest && (example ?? null) !== null);
  const sample =
    isKnown && !isMade
      ? valueText(document, body, example)
      : use(loadSamples()).sampleText(document, body, isRequest, alternatives);
  if (sample === "") return null;
  const isCut = sample.length > SAMPLE_CHARACTERS_MAX;
  return (
    <section className={styles["group"]}>
      <h3>{words.sample}</h3>
      {examples.length > 1 && (
        <Select
          label={words.example}
          isLabelHidden
          value={isMade ? MADE : at}
          choices={[
            ...examples.map(({ name, summary }, index) => ({
              value: String(index),
              label: summary ?? name,
            })),
            ...(isMade ? [{ value: MADE, label: words.made }] : []),
          ]}
          onChange={(next) => {
            if (next === MADE) return;
            setAt(next);
            onExample();
          }}
        />
      )}
      {examples.length === 1 && !isMade && chosen?.summary && (
        <p className={styles["quiet"]}>{chosen.summary}</p>
      )}
      <Code
        value={isCut ? sample.slice(0, SAMPLE_CHARACTERS_MAX) : sample}
        label={words.ofType(of, body.type)}
        tall
      />
      {isCut && (
        <p className={styles["quiet"]}>
          {words.cut(count(SAMPLE_CHARACTERS_MAX), count(sample.length))}
        </p>
      )}
    </section>
  );
}
