// Texts of the catalogue, the first page.

export const catalogueWords = {
  first: {
    title: "Getting started",
    publish: {
      title: "Publish your first API",
      lead: "Import an OpenAPI document or a WSDL; callers then find the API here.",
      go: "Publish an API",
    },
    find: {
      title: "Find an API",
      lead: "Open one below and choose “Get a key”. You get an application, a key and a first call to send.",
    },
    invite: {
      title: "Create users",
      lead: "Publishers publish APIs and developers call them. A user can have several roles.",
      go: "Create users",
    },
  },
  title: "Catalogue",
  lead: "APIs you can call.",
  search: "Search names, paths, descriptions",
  list: "APIs",
  api: "API",
  version: "Version",
  path: "Path",
  plans: "Plans",
  description: "Description",
  yours: "yours",
  subscribedBy: (application: string) => `subscribed by ${application}`,
  noPlans: "no subscriptions",
  empty: "No API is published yet. Published APIs appear here.",
  noHit: "No matching APIs. Change the search or clear the filters.",
};
