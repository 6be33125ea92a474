// The areas of the portals and their pages, as the side bar lists them.

import type { LinkProps } from "@tanstack/react-router";
import type { Role } from "../api/session";
import { paths } from "../paths";
import { text } from "../text/text";

export interface Area {
  name: string;
  /** The start page of the area. */
  home: LinkProps;
  /** Prefix of the addresses of its pages; the first area has all remaining ones. */
  prefix: string;
  roles: readonly Role[];
  pages: readonly AreaPage[];
}

interface AreaPage {
  label: string;
  link: LinkProps;
  isExact?: boolean;
  /** Prefix of the addresses of its subpages, if it differs from its own. */
  below?: string;
  /** Roles that see it, if not everyone in the area does. */
  roles?: readonly Role[];
}

/** Everyone except visitors, who see the catalogue. */
const SIGNED_IN: readonly Role[] = ["developer", "publisher", "administrator"];

const words = text.ui.shell;

export const areas: readonly Area[] = [
  {
    name: words.developer,
    home: paths.catalogue(),
    prefix: "",
    roles: SIGNED_IN,
    pages: [
      { label: words.catalogue, link: paths.catalogue(), isExact: true, below: "/apis/" },
      { label: words.applications, link: paths.applications(), roles: SIGNED_IN },
      { label: words.explain, link: paths.explain(), roles: SIGNED_IN },
    ],
  },
  {
    name: words.publisher,
    home: paths.ownApis(),
    prefix: "/publish",
    roles: ["publisher", "administrator"],
    pages: [{ label: words.apis, link: paths.ownApis() }],
  },
  {
    name: words.admin,
    home: paths.status(),
    prefix: "/admin",
    roles: ["administrator"],
    pages: [
      { label: words.status, link: paths.status(), isExact: true },
      { label: words.users, link: paths.users() },
      { label: words.plans, link: paths.plans() },
      { label: words.applications, link: paths.allApplications() },
      { label: words.signingKeys, link: paths.signingKeys() },
    ],
  },
];

/** Returns the areas visible to these roles; visitors, who have none, see the first. */
export function areasOf(roles: readonly Role[] | undefined): readonly Area[] {
  if (roles === undefined) return areas.slice(0, 1);
  return areas.filter((area) => area.roles.some((role) => roles.includes(role)));
}

/** Returns the pages of an area that are visible to these roles. */
export function pagesOf(area: Area, own: readonly Role[] = []): readonly AreaPage[] {
  return area.pages.filter(({ roles }) => roles?.some((role) => own.includes(role)) ?? true);
}

/** Returns the area of an address. */
export function areaAt(pathname: string, seen: readonly Area[]): Area | undefined {
  const isIn = ({ prefix }: Area) => pathname === prefix || pathname.startsWith(`${prefix}/`);
  return seen.findLast(isIn) ?? seen[0];
}
