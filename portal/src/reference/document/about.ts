// Metadata of a document and its tags: contact, licence, terms, external documentation.

import { list, member, words } from "./narrow";
import { titleOf } from "./title";

/** A link to external documentation. Only web addresses are links. */
export interface Docs {
  url: string;
  description: string | undefined;
}

export interface Tag {
  name: string;
  description: string | undefined;
  docs: Docs | undefined;
}

export interface About {
  summary: string | undefined;
  contact: { name: string | undefined; email: string | undefined; url: string | undefined };
  licence: { name: string; url: string | undefined } | undefined;
  terms: string | undefined;
  docs: Docs | undefined;
}

const ADDRESS_CHARACTERS_MAX = 2_000;
const TAGS_MAX = 1_000;

/** Returns a web address; undefined for other values. */
export function webAddress(value: unknown): string | undefined {
  const url = words(value, ADDRESS_CHARACTERS_MAX)?.trim();
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}

export function docsOf(written: unknown): Docs | undefined {
  const url = webAddress(member(written, "url"));
  return url === undefined
    ? undefined
    : { url, description: titleOf(member(written, "description")) };
}

export function aboutOf(document: unknown): About {
  const info = member(document, "info");
  const contact = member(info, "contact");
  const licence = member(info, "license");
  const identifier = words(member(licence, "identifier"), 200);
  const name = titleOf(member(licence, "name")) ?? identifier;
  return {
    summary: words(member(info, "summary")),
    contact: {
      name: titleOf(member(contact, "name")),
      email: words(member(contact, "email"), 320),
      url: webAddress(member(contact, "url")),
    },
    licence: name === undefined ? undefined : { name, url: webAddress(member(licence, "url")) },
    terms: webAddress(member(info, "termsOfService")),
    docs: docsOf(member(document, "externalDocs")),
  };
}

/** Whether there is nothing to show. */
export const isEmpty = ({ summary, contact, licence, terms, docs }: About): boolean =>
  [summary, contact.name, contact.email, contact.url, licence, terms, docs].every((it) => !it);

/** Returns the tags that the document describes, in its order. */
export function tagsOf(document: unknown): Tag[] {
  return list(member(document, "tags"))
    .slice(0, TAGS_MAX)
    .flatMap((written) => {
      const name = words(member(written, "name"), 100);
      const description = words(member(written, "description"));
      const docs = docsOf(member(written, "externalDocs"));
      return name === undefined ? [] : [{ name, description, docs }];
    });
}
