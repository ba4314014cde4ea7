import type { ChalkInstance } from "chalk";
import type { CellTimes } from "./style.ts";

/** Colours a text, which the table may have shortened. */
type Paint = (style: ChalkInstance, text: string) => string;

/** One line about an item; left out if it has no text. */
export type Detail = readonly [label: string, text: string | null | undefined, paint?: Paint];

type Column<Item> = {
  title: string;
  /** `times` are brief in a terminal, so that each item fits on one line. */
  text: (item: Item, times: CellTimes) => string;
  /** The minimum width in a narrow terminal; without it the text stays whole. */
  minWidth?: number;
  isRight?: boolean;
  paint?: Paint;
  /** Whether the table has this column for these items; always, if undefined. */
  isShown?: (items: readonly Item[]) => boolean;
};

/** The presentation of one type: fields in JSON and CSV, details of one item, and a table. */
export type View<Item> = {
  /** The columns of a CSV, and the names that `--fields` accepts. */
  fields: readonly string[];
  /** The lines about one item; without it all its fields. */
  details?: (item: Item) => readonly Detail[];
  columns: readonly Column<Item>[];
  /** Texts that are too wide are wrapped by default, or cut so that each item fits on one line. */
  overflow?: "wrap" | "cut";
};

/** The fields that `--fields` picks from. */
export type RecordName = {
  /** The record's name with its article. */
  one: string;
  fields: readonly string[];
  /** The field whose names are not known here, such as those that the merchant chooses. */
  metadata?: string;
  /** An example for `--fields`. */
  someFields: string;
};

/** The names of a resource of the API for people, and the form of its ids. */
export type ResourceName = RecordName & {
  name: string;
  many: string;
  idPattern: RegExp;
  idForm: string;
  /** The command that shows ids. */
  shownBy: string;
};

export type Resource<Item> = ResourceName & View<Item>;

/** The number of spaces between two columns. */
export const gapWidth = 2;
/** The minimum width of a wrapped text. */
export const minWrappedWidth = 24;
