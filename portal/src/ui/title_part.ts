// Which part of a thing a page shows: said by its tabs, put into its title by the page around them.

import { createContext, useContext } from "react";

type SetPart = (part: string | undefined) => void;

const TitlePart = createContext<SetPart>(() => undefined);
export const TitlePartProvider = TitlePart.Provider;

export function useTitlePart(): SetPart {
  return useContext(TitlePart);
}
