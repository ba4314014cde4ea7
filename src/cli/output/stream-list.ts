import { setFlagsFromString } from "node:v8";
import type { List } from "../../contract/list-object.ts";
import { toCsvHeader, toCsvLine } from "./csv.ts";
import { pickFields } from "./fields.ts";
import type { Format } from "./rendered.ts";
import { toSafeJson } from "./safe-text.ts";

/**
 * Writes each item of a list as its page arrives, in constant memory; gives the last page. Nothing is
 * written before the first one is there. The next page is asked for before the last item of this one is
 * written: by then all others have been taken, so that a reader who has gone (`| head`) ends it after
 * one request in vain, and a slow one never waits for the service.
 */
export async function writePages<Item extends object>(
  pages: AsyncGenerator<List<Item>>,
  list: StreamWriter,
  write: (text: string) => Promise<void>,
): Promise<List<Item> | undefined> {
  let last: List<Item> | undefined;
  let count = 0;
  try {
    let next = pages.next();
    for (;;) {
      const { value: page, done } = await next;
      if (done) break;
      if (!last) collectEarly();
      const texts = last ? [] : [list.opening(page)];
      for (const item of page.data) texts.push(list.item(item, count++ === 0));
      last = page;
      const final = texts.pop() ?? "";
      await write(texts.join(""));
      next = pages.next();
      next.catch(() => {}); // its failure is raised when its turn comes
      await write(final);
    }
    if (last) await write(list.closing(last, count === 0));
    return last;
  } catch (error) {
    if (last) await write(list.brokenOff).catch(() => {});
    throw error;
  }
}

/**
 * A page is garbage as soon as it is written. V8 by itself would let tens of megabytes of it gather
 * before it collects them: the room for new objects stays as small as it is, and old ones are
 * collected every few megabytes. Not before the first page, by when all is loaded: what is compiled under
 * these settings is of no use to a command without them.
 */
function collectEarly(): void {
  setFlagsFromString("--semi-space-growth-factor=1 --optimize-for-size");
}

/** A list in a format that needs nothing of the items to come, and so is written as they arrive. */
export type StreamWriter = {
  /** Written before the items, once the first page has arrived. */
  opening: (first: List<object>) => string;
  item: (item: object, isFirst: boolean) => string;
  /** Written after the items, once the last page has arrived. */
  closing: (last: List<object>, isEmpty: boolean) => string;
  /** Written where the rest never arrives, so that an error begins on a line of its own. */
  brokenOff: string;
};

type Layout = {
  /** The only fields of an item to write; undefined: all. */
  fields: readonly string[] | undefined;
  /** Of a CSV. */
  columns: readonly string[];
  /** Whether JSON is indented, as in a terminal. */
  indented: boolean;
};

/** How a list is written in a format as it arrives. */
export function createStreamWriter(format: Exclude<Format, "table">, layout: Layout): StreamWriter {
  const { fields, columns, indented } = layout;
  const pick = (item: object) => (fields ? pickFields(item, fields) : item);
  switch (format) {
    case "json":
      return createJsonWriter(pick, indented);
    case "ndjson":
      return createLineWriter("", (item) => toSafeJson(pick(item), { indented: false }));
    default:
      return createLineWriter(`${toCsvHeader(columns)}\n`, (item) => toCsvLine(item, columns));
  }
}

function createLineWriter(heading: string, lineOf: (item: object) => string): StreamWriter {
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
function createJsonWriter(pick: (item: object) => object, indented: boolean): StreamWriter {
  const text = (value: object) => toSafeJson(value, { indented });
  const [end, member, element] = indented ? ["\n", "\n  ", "\n    "] : ["", "", ""];
  return {
    opening: (first) => {
      const head = text(withNames(first, (name) => constant.has(name)));
      return `${head.slice(0, -`${end}}`.length)},${member}"data":${indented ? " " : ""}[`;
    },
    item: (item, isFirst) =>
      `${isFirst ? "" : ","}${element}${text(pick(item)).replaceAll("\n", element)}`,
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
