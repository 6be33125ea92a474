import { type BasicUser, basicUsers } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import type { FieldsProps, Kind } from "./kind";

const words = text.developer.credentials;

/** The chosen part of the user name; empty to generate one. */
type Extra = string;

function Fields({ value, onChange, isNew }: FieldsProps<Extra>) {
  if (!isNew) return null;
  return (
    <TextField
      label={words.userName}
      value={value}
      onChange={onChange}
      hint={text.developer.access.userNameHint}
      mono
      pointer="/user_name"
    />
  );
}

export const basicUserKind: Kind<BasicUser, Extra> = {
  words: words.basicUser,
  list: basicUsers.list,
  rotate: basicUsers.rotate,
  revoke: basicUsers.revoke,
  impactOfRevocation: basicUsers.impactOfRevocation,
  create: (application, terms, user_name) =>
    basicUsers.create(application, { ...terms, ...(user_name ? { user_name } : {}) }),
  change: (id, patch) => basicUsers.change(id, patch),
  shownAs: ({ user_name }) => user_name,
  copies: true,
  secrets: ({ user_name, password }) =>
    password
      ? [
          { label: words.userName, value: user_name },
          { label: words.basicUser.secret, value: password },
        ]
      : [],
  oldEnd: ({ previous_until }) => previous_until,
  canRotate: () => true,
  newExtra: "",
  extraOf: ({ user_name }) => user_name,
  Fields,
};
