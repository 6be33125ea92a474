// Words of the developer's area.

export const developerWords = {
  catalogue: {
    title: "Catalogue",
  },
};
