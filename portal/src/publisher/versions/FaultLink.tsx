// A link to the page of a draft that has a faulty field, for faults that another page shows.

import { Link } from "@tanstack/react-router";
import { pageOf } from "./fault_pages";

interface FaultLinkProps {
  version: string;
  /** JSON pointer of the field in the draft. */
  pointer: string;
  /** The place in words; absent if only its page and the pointer are known. */
  name?: string | undefined;
}

export function FaultLink({ version, pointer, name }: FaultLinkProps) {
  const page = pageOf(pointer);
  if (page && name !== undefined) {
    return (
      <Link {...page.to(version)}>{name === page.title ? name : `${page.title}: ${name}`}</Link>
    );
  }
  return (
    <>
      {page && <Link {...page.to(version)}>{page.title}</Link>} <code>{pointer}</code>
    </>
  );
}
