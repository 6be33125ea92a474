// Operations that may have moved to another path, and whether they keep their settings.

import type { ProposedRename } from "../../api/queries/documents";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { LongList } from "../../ui/LongList";
import { OperationName } from "../../ui/OperationName";

const words = text.publisher.version.document.renames;

interface RenamesCardProps {
  renames: readonly ProposedRename[];
  isFollowing: boolean;
  onChange: (isFollowing: boolean) => void;
}

export function RenamesCard({ renames, isFollowing, onChange }: RenamesCardProps) {
  return (
    <Card title={words.title(count(renames.length))} note={words.note}>
      <LongList all={words.all}>
        {renames.map(({ from, to }) => (
          <li key={to.pointer}>
            <OperationName method={from.method} name={from.path} />
            <span>{words.to}</span>
            <OperationName method={to.method} name={to.path} />
          </li>
        ))}
      </LongList>
      <Checkbox isSelected={isFollowing} onChange={onChange} hint={words.keepHint}>
        {words.keep}
      </Checkbox>
    </Card>
  );
}
