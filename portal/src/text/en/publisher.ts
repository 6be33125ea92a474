// Words of the publisher's area.

export const publisherWords = {
  apis: { title: "APIs" },
};
