import type { PaymentsClient } from "../../client/client.ts";
import { gatherPages, type PageQuery } from "../../client/list-pages.ts";
import type { ListPart } from "../../contract/list.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import type { Settings } from "../config/resolve-settings.ts";
import { type StreamWriter, createStreamWriter, writePages } from "../output/stream-list.ts";
import { formatCount } from "../output/style.ts";
import { escapeControls } from "../../runtime/text.ts";
import { showProgress } from "../output/write-output.ts";
import type { Resource } from "../output/resource.ts";
import { parseCreatedRange, parseCursors, parseLimit } from "../flags/list-flags.ts";
import type { BaseCommand, Output, OutputFlags } from "./base-command.ts";
import { parseAges, resolveSafeSettings, withClient } from "./connection.ts";

type Pages<Item> = AsyncGenerator<ListPart<Item>>;
type SelectionInput<Filters> = {
  flags: OutputFlags &
    Parameters<typeof parseLimit>[0] &
    Parameters<typeof parseCursors>[0] &
    Parameters<typeof parseCreatedRange>[0];
  metadata: Parameters<typeof parseLimit>[1];
  filters: Filters;
};
type ListInput<Filters> = SelectionInput<Filters> & { flags: ConnectionFlags };

/** The selection by the flags of a list: a query, the number of items in all, and how to print them. */
type Selection<Filters> = {
  query: PageQuery & Filters;
  total: number | undefined;
  output: Output;
};

/** Prints the pages that the flags select, and notes how to get the next one, or that there is nothing. */
export async function showPages<Item extends { id: string }, Filters extends object>(
  command: BaseCommand,
  view: Resource<Item>,
  input: ListInput<Filters>,
  request: (client: PaymentsClient, query: PageQuery & Filters, total?: number) => Pages<Item>,
  {
    describeNothing = async () => Promise.resolve(`No ${view.many}.`),
    createWriter,
  }: Presentation<Item> = {},
): Promise<void> {
  const { flags } = input;
  const { total, output, query: checked } = parseSelection(command, view, input);
  const settings = await resolveSafeSettings(command, flags);
  await withClient(command, flags, settings, async (client) => {
    const times = [flags["created-gte"], flags["created-lt"]];
    const range = await parseAges(command, client, times, (nowMs) =>
      parseCreatedRange(flags, nowMs),
    );
    const query = { ...checked, ...range };
    const writer = await createWriter?.(request(client, query, total));
    const isEmpty = await printPages(command, view, request(client, query, total), {
      query,
      output: writer ? { ...output, format: "csv" } : output,
      writer,
    });
    if (isEmpty && command.isHumanOutput(output)) {
      command.note(await describeNothing(client, settings), output);
    }
  });
}

type Presentation<Item extends object> = {
  /** Says that the list is empty. */
  describeNothing?: (client: PaymentsClient, settings: Settings) => Promise<string>;
  /** Makes a writer of its own form from the pages, which are then read again and written. */
  createWriter?: (pages: Pages<Item>) => Promise<StreamWriter<Item>>;
};

export function parseSelection<Filters extends object>(
  command: BaseCommand,
  view: Resource<never>,
  { flags, metadata, filters }: SelectionInput<Filters>,
): Selection<Filters> {
  return {
    total: parseLimit(flags, metadata),
    output: command.parseOutput(flags, view),
    query: {
      ...parseCreatedRange(flags, command.serviceTime.nowMs()),
      ...filters,
      ...parseCursors(flags, view),
    },
  };
}

/** Prints pages of what a query selects, and notes how to get the next one; returns whether there is nothing. */
export async function printPages<Item extends { id: string }>(
  command: BaseCommand,
  view: Resource<Item>,
  pages: Pages<Item>,
  {
    query,
    output,
    writer,
  }: Pick<Selection<object>, "query" | "output"> & { writer?: StreamWriter<Item> | undefined },
): Promise<boolean> {
  command.endWithReader();
  const { format } = output;
  let isEmpty = true;
  async function* noteItems(): Pages<Item> {
    for await (const page of pages) {
      isEmpty &&= page.data.length === 0;
      yield page;
    }
  }
  // Backward pages are printed newest first, and a table is as wide as its widest cells.
  const last =
    query.ending_before === undefined && format !== "table"
      ? await streamPages(command, view, noteItems(), { ...output, format, writer })
      : await showGathered(command, view, noteItems(), query, output);
  if (!isEmpty && last?.has_more) command.note(describeNextPage(last, query), output);
  return !last || isEmpty;
}

async function streamPages<Item extends { id: string }>(
  command: BaseCommand,
  view: Resource<Item>,
  pages: Pages<Item>,
  {
    fields,
    format,
    writer,
  }: Output & {
    format: Parameters<typeof createStreamWriter>[0];
    writer: StreamWriter<Item> | undefined;
  },
): Promise<ListPart<Item> | undefined> {
  const layout = { fields, columns: fields ?? view.fields, indented: process.stdout.isTTY };
  return await writePages(pages, writer ?? createStreamWriter(format, layout), async (text) =>
    command.write(text),
  );
}

async function showGathered<Item extends { id: string }>(
  command: BaseCommand,
  view: Resource<Item>,
  pages: Pages<Item>,
  query: PageQuery,
  output: Output,
): Promise<ListPart<Item>> {
  using progress = showProgress(process.stderr, process.env, command.errorStyle);
  const list = await gatherPages(pages, {
    backward: query.ending_before !== undefined,
    onPage: (count) => {
      if (command.isHumanOutput(output)) {
        progress.at(`${formatCount(count)} ${view.many} so far`);
      }
    },
  });
  await command.showMany(view, list, output);
  return list;
}

/** Tells the user how to get the next page in the same direction. */
export function describeNextPage(
  list: ListPart<{ id: string }>,
  query: { ending_before?: string | undefined },
): string {
  return query.ending_before === undefined
    ? `There are older ones: --starting-after ${escapeControls(list.data.at(-1)?.id ?? "")}, or --all`
    : `There are newer ones: --ending-before ${escapeControls(list.data.at(0)?.id ?? "")}`;
}
