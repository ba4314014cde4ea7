import type { PaymentsClient } from "../../client/client.ts";
import { gatherPages, type PageQuery } from "../../client/list-pages.ts";
import type { ListPart } from "../../contract/list.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import type { Settings } from "../config/resolve-settings.ts";
import { createStreamWriter, writePages } from "../output/stream-list.ts";
import { formatCount } from "../output/format.ts";
import { escapeControls } from "../../runtime/text.ts";
import { showProgress } from "../output/progress.ts";
import type { Resource } from "../output/resource.ts";
import { parseCreatedRange, parseCursors, parseLimit } from "../flags/list-flags.ts";
import { BaseCommand, type Output, type OutputFlags } from "./base-command.ts";

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

/** The base of commands that list page after page. */
export abstract class ListCommand extends BaseCommand {
  /** Prints the pages that the flags select, and notes how to get the next one, or that there is nothing. */
  protected async showPages<Item extends { id: string }, Filters extends object>(
    view: Resource<Item>,
    input: ListInput<Filters>,
    request: (client: PaymentsClient, query: PageQuery & Filters, total?: number) => Pages<Item>,
    describeNothing = async (_client: PaymentsClient, _settings: Settings) =>
      Promise.resolve(`No ${view.many}.`),
  ): Promise<void> {
    const { flags } = input;
    const { total, output, query: checked } = this.parseSelection(view, input);
    const settings = await this.resolveSettings(flags);
    await this.withClient(flags, settings, async (client) => {
      const times = [flags["created-gte"], flags["created-lt"]];
      const range = await this.parseAges(client, times, (nowMs) => parseCreatedRange(flags, nowMs));
      const query = { ...checked, ...range };
      const isEmpty = await this.printPages(view, request(client, query, total), { query, output });
      if (isEmpty && this.isHumanOutput(output)) {
        this.note(await describeNothing(client, settings), output);
      }
    });
  }

  protected parseSelection<Filters extends object>(
    view: Resource<never>,
    { flags, metadata, filters }: SelectionInput<Filters>,
  ): Selection<Filters> {
    return {
      total: parseLimit(flags, metadata),
      output: this.parseOutput(flags, view),
      query: {
        ...parseCreatedRange(flags, this.serviceTime.nowMs()),
        ...filters,
        ...parseCursors(flags, view),
      },
    };
  }

  /** Prints pages of what a query selects, and notes how to get the next one; returns whether there is nothing. */
  protected async printPages<Item extends { id: string }>(
    view: Resource<Item>,
    pages: Pages<Item>,
    { query, output }: Pick<Selection<object>, "query" | "output">,
  ): Promise<boolean> {
    this.endWithReader();
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
        ? await this.streamPages(view, noteItems(), { ...output, format })
        : await this.showGathered(view, noteItems(), query, output);
    if (!isEmpty && last?.has_more) this.note(describeNextPage(last, query), output);
    return !last || isEmpty;
  }

  private async streamPages<Item extends { id: string }>(
    view: Resource<Item>,
    pages: Pages<Item>,
    { fields, format }: Output & { format: Parameters<typeof createStreamWriter>[0] },
  ): Promise<ListPart<Item> | undefined> {
    const layout = { fields, columns: fields ?? view.fields, indented: process.stdout.isTTY };
    return await writePages(pages, createStreamWriter(format, layout), async (text) =>
      this.write(text),
    );
  }

  private async showGathered<Item extends { id: string }>(
    view: Resource<Item>,
    pages: Pages<Item>,
    query: PageQuery,
    output: Output,
  ): Promise<ListPart<Item>> {
    using progress = showProgress(process.stderr, process.env, this.errorStyle);
    const list = await gatherPages(pages, {
      backward: query.ending_before !== undefined,
      onPage: (count) => {
        if (this.isHumanOutput(output)) {
          progress.at(`${formatCount(count)} ${view.many} so far`);
        }
      },
    });
    await this.showMany(view, list, output);
    return list;
  }
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
