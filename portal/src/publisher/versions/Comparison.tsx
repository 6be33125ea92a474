// The comparison of two contents of a version, or of one with another version's: what differs.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Difference, type RevisionsSearch, difference } from "../../api/queries/revisions";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Row } from "../../ui/Row";
import { NewVersion } from "../apis/NewVersion";
import { Differences } from "./Differences";
import { type Acting, RevisionActions } from "./RevisionActions";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.revisions;

interface ComparisonProps {
  shown: Shown;
  search: RevisionsSearch;
  onAct: (acting: Acting) => void;
}

export function Comparison({ shown, search, onAct }: ComparisonProps) {
  const { from = "deployed", from_version, to = "draft" } = search;
  const query = useQuery(difference(shown.version.id, from, to, from_version));
  return (
    <Loaded query={query}>
      {(difference) => (
        <>
          <Heading shown={shown} difference={difference} onAct={onAct} />
          <Differences difference={difference} />
        </>
      )}
    </Loaded>
  );
}

interface HeadingProps {
  shown: Shown;
  difference: Difference;
  onAct: (acting: Acting) => void;
}

/** The compared sides, the number of differences, and what can be done with the newer side. */
function Heading({ shown, difference, onAct }: HeadingProps) {
  const { from, to, changes } = difference;
  const { revision } = to;
  const isOfOne = from.version.id === to.version.id;
  const nameOf = isOfOne ? sideName : nameWithVersion;
  return (
    <Card
      title={words.compare.sides(nameOf(from), nameOf(to))}
      note={changes.length > 0 && words.compare.summary(count(changes.length))}
      actions={
        revision ? (
          <Row>
            <RevisionActions revision={revision} verbs={["deploy", "editFrom"]} onAct={onAct} />
          </Row>
        ) : (
          isOfOne && breaks(difference) && <AsNewVersion shown={shown} />
        )
      }
      flush
    >
      {changes.length === 0 && <Empty>{words.compare.same}</Empty>}
    </Card>
  );
}

/** Returns whether the newer document breaks callers. */
const breaks = ({ document }: Difference): boolean => (document?.difference?.breaking ?? 0) > 0;

/** Creates another version from the draft, which leaves the callers of this one alone. */
function AsNewVersion({ shown: { api, version } }: { shown: Shown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onPress={() => setOpen(true)}>
        {words.compare.newVersion}
      </Button>
      {isOpen && <NewVersion api={api} from={version.id} onClose={() => setOpen(false)} />}
    </>
  );
}

type ComparedSide = Difference["from"];

const sideName = ({ revision }: ComparedSide): string =>
  revision ? words.named(revision.number) : words.compare.draft;

const nameWithVersion = (side: ComparedSide): string =>
  words.compare.side(side.version.name, sideName(side));
