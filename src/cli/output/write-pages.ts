import type { PaymentList } from "../../contract/list.ts";
import { steadyMemory } from "./steady-memory.ts";

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
  const pageIsDone = steadyMemory();
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
    pageIsDone();
  }
}
