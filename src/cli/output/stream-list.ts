import type { ListPart } from "../../contract/list.ts";
import { pickFields, toCsvHeader, toCsvLine } from "../../runtime/records.ts";
import type { Format } from "./write-output.ts";
import { toSafeJson } from "../../runtime/text.ts";

/**
 * Writes each item of a list as its page arrives, in constant memory; returns the last page. It requests the
 * next page when the reader has read all items of this one but the last. A reader that is gone (`| head`)
 * therefore costs only one needless request, and a slow reader never waits for the service.
 */
export async function writePages<Item extends object>(
  pages: AsyncGenerator<ListPart<Item>>,
  list: StreamWriter<Item>,
  write: (text: string) => Promise<void>,
): Promise<ListPart<Item> | undefined> {
  let last: ListPart<Item> | undefined;
  let count = 0;
  using memory = new DisposableStack();
  try {
    let next = pages.next();
    for (;;) {
      const { value: page, done } = await next;
      if (done) break;
      if (!last) memory.use(collectEarly());
      const texts = last ? [] : [list.opening(page)];
      for (const item of page.data) texts.push(list.item(item, count++ === 0));
      last = page;
      const final = texts.pop() ?? "";
      await write(texts.join(""));
      next = pages.next();
      next.catch(() => {}); // the next round of the loop raises its failure
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
 * Makes V8 collect garbage early: a page is garbage as soon as it is written, and by default V8 would let tens
 * of megabytes of it gather. Called after the first page, when all code is loaded, and undone at the end: commands
 * share compiled code, and V8 accepts none that was stored or is loaded under other settings.
 */
export function collectEarly(): Disposable {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8"); // a page alone needs none
  setFlagsFromString("--semi-space-growth-factor=1 --optimize-for-size");
  return {
    [Symbol.dispose]: () => {
      setFlagsFromString("--semi-space-growth-factor=2 --no-optimize-for-size");
    },
  };
}

/** Writes a list in a format that needs no later items, so that each can be written as it arrives. */
export type StreamWriter<Item extends object = object> = {
  /** Written before the items, once the first page has arrived. */
  opening: (first: ListPart<object>) => string;
  item: (item: Item, isFirst: boolean) => string;
  /** Written after the items, once the last page has arrived. */
  closing: (last: ListPart<object>, isEmpty: boolean) => string;
  /** Written if a page fails, so that the error begins on a line of its own. */
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

function createLineWriter(heading: string, toLine: (item: object) => string): StreamWriter {
  return {
    opening: () => heading,
    item: (item) => `${toLine(item)}\n`,
    closing: () => "",
    brokenOff: "",
  };
}

/** The names whose values are the same on every page. */
const constant = new Set(["object", "url"]);

/**
 * Writes one API List with all items, byte for byte as `json` writes it. Its other values, such as
 * `has_more`, are those of the last page, and so come after the items.
 */
function createJsonWriter(pick: (item: object) => object, indented: boolean): StreamWriter {
  const text = (value: object) => toSafeJson(value, { indented });
  const [end, member, element] = indented ? ["\n", "\n  ", "\n    "] : ["", "", ""];
  return {
    opening: (first) => {
      const head = text(pickNames(first, (name) => constant.has(name)));
      return `${head.slice(0, -`${end}}`.length)},${member}"data":${indented ? " " : ""}[`;
    },
    item: (item, isFirst) =>
      `${isFirst ? "" : ","}${element}${text(pick(item)).replaceAll("\n", element)}`,
    closing: (last, isEmpty) => {
      const tail = text(pickNames(last, (name) => name !== "data" && !constant.has(name)));
      return `${isEmpty ? "" : member}],${tail.slice("{".length)}\n`;
    },
    brokenOff: end,
  };
}

function pickNames(page: ListPart<object>, isPicked: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(page).filter(([name]) => isPicked(name)));
}
