import { gatherPages, type PageQuery } from "../../client/list-pages.ts";
import type { List } from "../../contract/list-object.ts";
import { BaseCommand, type Output } from "./base-command.ts";
import { createStreamWriter } from "../output/arriving.ts";
import { formatCount } from "../output/format.ts";
import { describeNextPage } from "../output/payment-notes.ts";
import { showProgress } from "../output/progress.ts";
import { writePages } from "../output/write-pages.ts";
import type { PagedView } from "../output/views.ts";

type Pages<Item> = AsyncGenerator<List<Item>>;

/** What every command stands on that lists page after page. */
export abstract class ListCommand extends BaseCommand {
  /** Shows what is on the pages that a query found, and how to go on where there is more. */
  protected async showPages<Item extends { id: string }>(
    view: PagedView<Item>,
    pages: Pages<Item>,
    query: PageQuery,
    output: Output,
  ): Promise<void> {
    const { format } = output;
    // Newer and newer ones are printed newest first, and a table is as wide as its widest cells.
    const last =
      query.ending_before === undefined && format !== "table"
        ? await this.writeArriving(view, pages, { ...output, format })
        : await this.writeWhole(view, pages, query, output);
    if (!last || last.data.length === 0) this.note(`No ${view.kind.many}.`, output);
    else if (last.has_more) this.note(describeNextPage(last, query), output);
  }

  /** Page by page, as they arrive. */
  private async writeArriving<Item extends { id: string }>(
    { kind }: PagedView<Item>,
    pages: Pages<Item>,
    { fields, format }: Output & { format: Parameters<typeof createStreamWriter>[0] },
  ): Promise<List<Item> | undefined> {
    const layout = { fields, columns: fields ?? kind.fields, indented: process.stdout.isTTY };
    return await writePages(pages, createStreamWriter(format, layout), async (text) =>
      this.write(text),
    );
  }

  /** All at once, newest first: what is printed depends on everything that is listed. */
  private async writeWhole<Item extends { id: string }>(
    view: PagedView<Item>,
    pages: Pages<Item>,
    query: PageQuery,
    output: Output,
  ): Promise<List<Item>> {
    using progress = showProgress(process.stderr, process.env, this.errorStyle);
    const list = await gatherPages(pages, {
      backward: query.ending_before !== undefined,
      onPage: (count) => {
        if (this.saysMore(output)) progress.at(`${formatCount(count)} ${view.kind.many} so far`);
      },
    });
    await this.showMany(view, list, output);
    return list;
  }
}
