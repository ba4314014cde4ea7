import { setFlagsFromString } from "node:v8";
import type { PaymentList } from "../../contract/list.ts";

/**
 * Writes a line for each payment as its page arrives, in constant memory; gives the last page. The
 * next page is asked for before the last line of this one is written: by then all others have been
 * taken, so that a reader who has gone (`| head`) ends it after one request in vain, and a slow one
 * never waits for the service.
 */
export async function writePages(
  pages: AsyncGenerator<PaymentList>,
  lineOf: (payment: PaymentList["data"][number]) => string,
  write: (text: string) => Promise<void>,
): Promise<PaymentList | undefined> {
  collectEarly();
  let last: PaymentList | undefined;
  let next = pages.next();
  for (;;) {
    const { value: page, done } = await next;
    if (done) return last;
    last = page;
    const lines = page.data.map((payment) => `${lineOf(payment)}\n`);
    const final = lines.pop() ?? "";
    await write(lines.join(""));
    next = pages.next();
    next.catch(() => {}); // its failure is told when its turn comes
    await write(final);
  }
}

/**
 * A page is garbage as soon as it is written. V8 by itself would let tens of megabytes of it gather
 * before it collects them: the room for new objects stays as small as it is, and old ones are
 * collected every few megabytes.
 */
function collectEarly(): void {
  setFlagsFromString("--semi-space-growth-factor=1 --optimize-for-size");
}
