import { useState } from "react";
import type { Listing } from "../api/queries/pages";
import { count } from "../text/format";
import { text } from "../text/text";
import { Button } from "./Button";
import { notify, notifyProblem } from "./Notices";
import { type CsvColumn, csvOf } from "./csv";
import { saveFile } from "./save_file";

interface SaveCsvProps<Row> {
  /** File name without extension. */
  name: string;
  list: Listing<Row>;
  columns: readonly CsvColumn<Row>[];
}

/** Saves the whole list under its search, not only the pages shown. */
export function SaveCsv<Row>({ name, list, columns }: SaveCsvProps<Row>) {
  const [isPending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      const { items, total } = await list.all();
      saveFile(new Blob([csvOf(columns, items)]), `${name}.csv`);
      if (items.length < total) {
        notify(text.ui.csvCut(count(items.length), count(total)), "warning");
      }
    } catch (error) {
      notifyProblem(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <Button small isPending={isPending} onPress={() => void save()}>
      {text.ui.csv}
    </Button>
  );
}
