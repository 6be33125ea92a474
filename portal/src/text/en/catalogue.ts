// Words of the catalogue, the first page.

export const catalogueWords = {
  title: "Catalogue",
  lead: "APIs that you may call.",
  search: "Search names, paths, descriptions",
  list: "APIs",
  api: "API",
  version: "Version",
  path: "Path",
  plans: "Plans",
  description: "Description",
  yours: "yours",
  subscribedBy: (application: string) => `subscribed by ${application}`,
  noPlans: "takes no subscriptions",
  empty: "No API is published yet. What publishers publish appears here by itself.",
  noHit: "No API fits. Search for less, or drop the filters.",
};
