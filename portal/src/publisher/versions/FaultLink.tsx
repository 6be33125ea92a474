// A link to the page of a draft that has a faulty field, for faults that another page shows.

import { Link } from "@tanstack/react-router";
import { pageOf } from "./fault_pages";

interface FaultLinkProps {
  version: string;
  /** JSON pointer of the field in the draft. */
  pointer: string;
}

export function FaultLink({ version, pointer }: FaultLinkProps) {
  const page = pageOf(pointer);
  return (
    <>
      {page && <Link {...page.to(version)}>{page.title}</Link>} <code>{pointer}</code>
    </>
  );
}
