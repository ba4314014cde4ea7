import { isJsonObject, tryParseJson } from "../../runtime/text.ts";
import { isIdOf } from "../flags/checked-values.ts";
import { delimiters, parseHead, parseRows } from "../flags/read-rows.ts";
import {
  TextMistake,
  UnreadableFile,
  describePath,
  maxLineBytes,
  pathHint,
  readText,
} from "../flags/read-text.ts";
import { usageError } from "../output/command-error.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { formatCount } from "../output/style.ts";

/** The payments of a file, each once, in the file's order, and how many more lines name one of them. */
export type RefundFile = { ids: string[]; twice: number };

const maxIds = 100_000;
const names = ["payment", "id"];
const hint =
  "A file is a CSV with a column id or payment, such as payments list -o csv prints, JSON lines with id or payment, or ids one a line.";

/**
 * Reads the ids of payments from a file, or from standard input if the path is `-`, once, and keeps nothing else of it.
 * Errors: the file cannot be read, is empty, or has a line that is no payment's id; the signal's reason.
 */
export async function readRefundFile(path: string, signal: AbortSignal): Promise<RefundFile> {
  // Other cells may be in whatever encoding: ids are ASCII.
  const blocks = readText(path, { isLenient: true, signal });
  const ids = new Set<string>();
  let twice = 0;
  const add = (text: unknown, line: number) => {
    const id = typeof text === "string" ? text.trim() : "";
    if (!isIdOf(paymentResource, id)) {
      throw new TextMistake("is no payment's id, such as pay_0199…", line, hint);
    }
    if (ids.has(id)) twice++;
    else ids.add(Buffer.from(id).toString("latin1")); // a part of a text would keep the whole text in memory
    if (ids.size + twice > maxIds) {
      const message = `is one more than the ${formatCount(maxIds)} payments that a run may have`;
      throw new TextMistake(message, line, "Split the file.");
    }
  };
  try {
    await readIds(blocks, add);
  } catch (error) {
    signal.throwIfAborted();
    throw describeMistake(error, describePath(path));
  } finally {
    await blocks.return(undefined);
  }
  return { ids: [...ids], twice };
}

type Add = (id: unknown, line: number) => void;

async function readIds(blocks: AsyncGenerator<Buffer>, add: Add): Promise<void> {
  const head = await readHead(blocks);
  const all = prepend(head, blocks);
  const start = head.toString().trimStart();
  if (start === "") throw new TextMistake("is empty", 1, hint);
  const layout = start.startsWith("{") ? undefined : findLayout(Buffer.from(start));
  if (layout) {
    const onRow = (cells: readonly string[], line: number) => {
      add(cells[layout.at], line);
      return [];
    };
    for await (const _ of parseRows(all, layout, onRow));
    return;
  }
  const read = start.startsWith("{") ? readRecord : (text: string) => text;
  let line = 0;
  for await (const block of all) {
    const lines = block.toString().split("\n");
    if (lines.at(-1) === "") lines.pop(); // behind the last line feed there is no line
    for (const text of lines) {
      line++;
      if (text.trim() !== "") add(read(text), line);
    }
  }
}

/** The first lines of a file: its heading, if it has one, stands in them. */
async function readHead(blocks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < maxLineBytes && head.toString().trim() === "") {
    const { value, done } = await blocks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

async function* prepend(head: Buffer, blocks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* blocks;
}

/** The delimiter by which the first row has a column of ids, and that column; undefined where the file is no CSV. */
function findLayout(head: Buffer) {
  for (const delimiter of delimiters) {
    const header = parseFirstRow(head, delimiter);
    const titles = header.map((title) => title.trim().toLowerCase());
    const name = names.find((each) => titles.includes(each));
    if (name !== undefined) return { delimiter, header, at: titles.indexOf(name) };
  }
  return undefined;
}

function parseFirstRow(head: Buffer, delimiter: string): string[] {
  try {
    return parseHead(head, delimiter, 1)[0] ?? [];
  } catch (error) {
    if (error instanceof TextMistake) return []; // with another delimiter it may be a row
    throw error;
  }
}

function readRecord(text: string): unknown {
  const record = tryParseJson(text);
  if (!isJsonObject(record)) return undefined;
  return record[names.find((name) => Object.hasOwn(record, name)) ?? ""];
}

function describeMistake(error: unknown, name: string): unknown {
  if (error instanceof UnreadableFile) {
    return usageError(`${name} cannot be read: ${error.message}.`, pathHint);
  }
  if (!(error instanceof TextMistake)) return error;
  return usageError(`${name}:${error.line}: ${error.message}. Nothing was refunded.`, error.hint);
}
