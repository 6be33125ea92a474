// Words of the admin's area.

export const adminWords = {
  status: { title: "Status" },
};
