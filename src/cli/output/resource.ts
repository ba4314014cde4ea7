import type { ChalkInstance } from "chalk";
import type { CellTimes } from "./format.ts";

/** Colours a text, which may have been shortened. */
type Paint = (style: ChalkInstance, text: string) => string;

/** A line of what a person reads about one item; it is left out where there is no text. */
export type Detail = readonly [label: string, text: string | null | undefined, paint?: Paint];

type Column<Item> = {
  title: string;
  /** `times` are brief in a terminal, where each item has one line. */
  text: (item: Item, times: CellTimes) => string;
  /** How narrow the text may become in a narrow terminal; without it the text stays whole. */
  minWidth?: number;
  isRight?: boolean;
  paint?: Paint;
  /** Whether the column is of use for these items; without it always. */
  isShown?: (items: readonly Item[]) => boolean;
};

/** How items of one type are shown: their fields in JSON and CSV, their details, and their table. */
export type View<Item> = {
  /** What a line of CSV has, and `--fields` may name. */
  fields: readonly string[];
  /** Of one item; without it all fields. */
  details?: (item: Item) => readonly Detail[];
  columns: readonly Column<Item>[];
  /** What becomes of texts that are too wide: wrapped by default, or cut to keep one line an item. */
  overflow?: "wrap" | "cut";
};

/** What people call a resource of the API, and what its ids look like. */
export type ResourceName = {
  name: string;
  /** The name with its article. */
  one: string;
  many: string;
  idPattern: RegExp;
  idForm: string;
  /** The command that shows ids. */
  shownBy: string;
  fields: readonly string[];
  /** The field that holds names which are not the API's own. */
  metadata?: string;
  /** An example for `--fields`. */
  someFields: string;
};

export type Resource<Item> = ResourceName & View<Item>;

/** What a text that is wrapped needs at least. */
export const minWrappedWidth = 24;
