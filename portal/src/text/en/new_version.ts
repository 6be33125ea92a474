// Texts of the dialog that creates a version from another.

export const newVersionWords = {
  button: "New version…",
  title: (api: string) => `New version of ${api}`,
  lead: "Starts as a draft, with the draft, plans and document of another version. Subscriptions stay with the old version.",
  fromDocument: "From another OpenAPI document instead",
  name: "Name",
  nameHint: "Part of its path, such as 2.0",
  from: "Copy from",
  confirm: "Create version",
  created: (name: string) => `Version ${name} is a draft. Change it, then publish it.`,
};
