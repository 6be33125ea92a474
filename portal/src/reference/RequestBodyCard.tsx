import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import type { Chosen } from "./document/choices";
import type { RequestBody } from "./document/messages";
import { Message } from "./Message";

const words = text.reference.body;

interface RequestBodyCardProps {
  document: unknown;
  body: RequestBody;
  onChoose: (type: string, chosen: Chosen) => void;
}

export function RequestBodyCard({ document, body, onChoose }: RequestBodyCardProps) {
  return (
    <Card title={words.title} note={body.isRequired ? words.isRequired : words.optional}>
      {body.description && <Markdown source={body.description} />}
      <Message
        document={document}
        bodies={body.bodies}
        of={words.one}
        isRequest
        onChoose={onChoose}
      />
    </Card>
  );
}
