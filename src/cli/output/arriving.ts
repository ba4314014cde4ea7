import type { List } from "../../contract/list-object.ts";
import { toCsvHeader, toCsvLine } from "./csv.ts";
import { pickFields } from "./fields.ts";
import type { Format } from "./rendered.ts";
import { toSafeJson } from "./safe-text.ts";

/** A list in a format that needs nothing of the items to come, and so is written as they arrive. */
export type StreamWriter = {
  /** What stands before the items, when the first page is there. */
  opening: (first: List<object>) => string;
  item: (item: object, isFirst: boolean) => string;
  /** What stands after them, when the last page is there. */
  closing: (last: List<object>, isEmpty: boolean) => string;
  /** What is written where the rest never comes, so that an error begins on a line of its own. */
  brokenOff: string;
};

type Layout = {
  /** The only fields of an item that are asked for. */
  fields: readonly string[] | undefined;
  /** Of a CSV. */
  columns: readonly string[];
  /** Whether JSON is indented, as in a terminal. */
  indented: boolean;
};

/** How a list is written in a format as it arrives. */
export function createStreamWriter(format: Exclude<Format, "table">, layout: Layout): StreamWriter {
  const { fields, columns, indented } = layout;
  const asked = (item: object) => (fields ? pickFields(item, fields) : item);
  switch (format) {
    case "json":
      return oneList(asked, indented);
    case "ndjson":
      return lines("", (item) => toSafeJson(asked(item), { indented: false }));
    default:
      return lines(`${toCsvHeader(columns)}\n`, (item) => toCsvLine(item, columns));
  }
}

function lines(heading: string, lineOf: (item: object) => string): StreamWriter {
  return {
    opening: () => heading,
    item: (item) => `${lineOf(item)}\n`,
    closing: () => "",
    brokenOff: "",
  };
}

/** What is the same on every page. */
const constant = new Set(["object", "url"]);

/**
 * The API's List with all items in it, byte by byte what `json` makes of it. Whatever else the API says
 * of a list is the last page's, and so comes after the items.
 */
function oneList(asked: (item: object) => object, indented: boolean): StreamWriter {
  const text = (value: object) => toSafeJson(value, { indented });
  const [end, member, element] = indented ? ["\n", "\n  ", "\n    "] : ["", "", ""];
  return {
    opening: (first) => {
      const head = text(withNames(first, (name) => constant.has(name)));
      return `${head.slice(0, -`${end}}`.length)},${member}"data":${indented ? " " : ""}[`;
    },
    item: (item, isFirst) =>
      `${isFirst ? "" : ","}${element}${text(asked(item)).replaceAll("\n", element)}`,
    closing: (last, isEmpty) => {
      const tail = text(withNames(last, (name) => name !== "data" && !constant.has(name)));
      return `${isEmpty ? "" : member}],${tail.slice("{".length)}\n`;
    },
    brokenOff: end,
  };
}

function withNames(page: List<object>, isAsked: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(page).filter(([name]) => isAsked(name)));
}
