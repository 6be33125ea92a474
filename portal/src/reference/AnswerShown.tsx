// The response: status, time, size, remaining quota, body, headers.

import { useEffect, useState } from "react";
import { bytes, count, duration } from "../text/format";
import { text } from "../text/text";
import { Badge, statusTone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Code } from "../ui/Code";
import { Disclosure } from "../ui/Disclosure";
import { Note } from "../ui/Note";
import { saveFile } from "../ui/save_file";
import {
  FIRST_BYTES,
  SHOWN_BYTES_MAX,
  type Shown as ShownBody,
  extensionOf,
  shownOf,
} from "./body_shown";
import type { AnswerViewProps } from "./AnswerView";
import { CacheLine } from "./CacheLine";
import { cacheResultOf } from "./cache_status";
import type { Answered } from "./call";
import type { Header } from "./call_request";
import { headerOf, quotasOf, quotaWords } from "./quota";
import { codeOf, soapFaultOf } from "./refusal";
import { Refusal } from "./Refusal";
import styles from "./TryIt.module.css";

const words = text.reference.answer;

/** The response; `slug` names the file of a download. */
export default function AnswerShown({ answer, slug }: AnswerViewProps) {
  const type = headerOf(answer.headers, "content-type") ?? "";
  const [bytesMax, setBytesMax] = useState(FIRST_BYTES);
  const shown = useShown(answer.body, type, bytesMax);
  const cache = cacheResultOf(answer.headers);
  const size = bytes(answer.body.size);
  const facts = [words.head(duration(answer.totalMs * 1_000), size)];
  facts.push(...quotasOf(answer.headers).map(quotaWords));
  return (
    <>
      <p className={styles["facts"]}>
        <Badge tone={statusTone(answer.status)}>
          {`${answer.status} ${answer.statusText}`.trim()}
        </Badge>
        <span className={styles["quiet"]}>{facts.join(" · ")}</span>
      </p>
      {cache && <CacheLine result={cache} />}
      <Meaning answer={answer} body={shown?.kind === "text" ? shown.text : ""} />
      {answer.end !== "whole" && <Note tone="warning">{words.ends[answer.end](size)}</Note>}
      {shown && (
        <Body
          shown={shown}
          answer={answer}
          file={`${slug}.${extensionOf(type)}`}
          onMore={bytesMax < SHOWN_BYTES_MAX ? () => setBytesMax(SHOWN_BYTES_MAX) : undefined}
        />
      )}
      <Headers headers={answer.headers} />
    </>
  );
}

/** Returns the displayed form of a body; undefined until it has been read. */
function useShown(body: Blob, type: string, bytesMax: number): ShownBody | undefined {
  const [shown, setShown] = useState<ShownBody>();
  useEffect(() => {
    let isWanted = true;
    void shownOf(body, type, bytesMax).then((it) => {
      if (isWanted) setShown(it);
    });
    return () => {
      isWanted = false;
    };
  }, [body, type, bytesMax]);
  return shown;
}

function Meaning({ answer, body }: { answer: Answered; body: string }) {
  const code = codeOf(answer.status, body);
  if (code !== undefined) return <Refusal code={code} answer={answer} />;
  const fault = soapFaultOf(body);
  if (fault === undefined) return null;
  return (
    <Note tone="bad">
      <strong>{words.fault}</strong>
      {fault !== "" && <p>{fault}</p>}
    </Note>
  );
}

interface BodyProps {
  shown: ShownBody;
  answer: Answered;
  /** File name of the download. */
  file: string;
  /** Shows more of a text; absent if there is no more to show. */
  onMore: (() => void) | undefined;
}

function Body({ shown, answer, file, onMore }: BodyProps) {
  const { body } = answer;
  const save = (
    <Button small onPress={() => saveFile(body, file)}>
      {words.download}
    </Button>
  );
  switch (shown.kind) {
    case "empty":
      return <p className={styles["quiet"]}>{words.empty}</p>;
    case "binary":
      return (
        <>
          <p>{words.binary(body.type || words.unnamedType, bytes(body.size))}</p>
          <div>{save}</div>
        </>
      );
    case "text":
      return (
        <>
          <Code value={shown.text} label={words.body} tall />
          {shown.cutAt !== undefined && (
            <>
              <p className={styles["quiet"]}>{words.cut(bytes(shown.cutAt), bytes(body.size))}</p>
              <div className={styles["buttons"]}>
                {onMore && (
                  <Button small onPress={onMore}>
                    {text.ui.more}
                  </Button>
                )}
                {save}
              </div>
            </>
          )}
        </>
      );
  }
}

function Headers({ headers }: { headers: readonly Header[] }) {
  const id = headerOf(headers, "x-request-id");
  const title = [words.headers(count(headers.length)), ...(id ? [words.requestId(short(id))] : [])];
  return (
    <Disclosure title={title.join(" · ")}>
      <dl className={styles["headers"]}>
        {headers.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}

const ID_CHARACTERS = 12;
const short = (id: string) => (id.length > ID_CHARACTERS ? `${id.slice(0, ID_CHARACTERS)}…` : id);
