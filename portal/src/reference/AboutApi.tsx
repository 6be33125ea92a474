import type { ReactNode } from "react";
import { text } from "../text/text";
import { Card, Facts } from "../ui/Card";
import { Markdown } from "../ui/Markdown";
import { type About, type Docs, isEmpty } from "./document/about";

const words = text.reference.about;

/** Contact, licence and terms of the API, and links to further documentation. */
export function AboutApi({ about }: { about: About }) {
  if (isEmpty(about)) return null;
  const { summary, contact, licence, terms, docs } = about;
  const facts: [string, ReactNode][] = [];
  if (contact.name ?? contact.email ?? contact.url) {
    const name = contact.name ?? contact.url;
    const shown = contact.url && name ? <External url={contact.url}>{name}</External> : name;
    facts.push([words.contact, <Contact key="contact" name={shown} email={contact.email} />]);
  }
  if (licence) {
    const { name, url } = licence;
    facts.push([words.licence, url ? <External url={url}>{name}</External> : name]);
  }
  if (terms)
    facts.push([
      words.terms,
      <External key="terms" url={terms}>
        {terms}
      </External>,
    ]);
  if (docs) facts.push([words.docs, <DocsLink key="docs" docs={docs} />]);
  return (
    <Card title={words.title}>
      {summary && <Markdown source={summary} />}
      {facts.length > 0 && <Facts facts={facts} />}
    </Card>
  );
}

function Contact({ name, email }: { name: ReactNode; email: string | undefined }) {
  return (
    <>
      {name && <div>{name}</div>}
      {email && <div>{email}</div>}
    </>
  );
}

export function DocsLink({ docs }: { docs: Docs }) {
  return <External url={docs.url}>{docs.description ?? docs.url}</External>;
}

function External({ url, children }: { url: string; children: string }) {
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}
