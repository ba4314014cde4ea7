import { setFlagsFromString } from "node:v8";
import type { List } from "../../contract/list-object.ts";
import type { StreamWriter } from "./arriving.ts";

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
