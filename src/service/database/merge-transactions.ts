import type { Transaction } from "./driver.ts";

type Running<T> = { work: Transaction<T>; step: ReturnType<Transaction<T>["next"]> };

/**
 * Merges transactions into one, whose steps are the next queries of each; returns their results, each as a function
 * that throws where its transaction did after the commit. The merged transaction commits once each one does.
 */
export function* mergeTransactions<T>(works: Transaction<T>[]): Transaction<(() => T)[]> {
  const results: (() => T)[] = [];
  const all = works.map((work): Running<T> => ({ work, step: work.next() }));
  let isCommitted = false;
  for (;;) {
    const running = all.flatMap(({ step }) => (step.done === true ? [] : [step.value]));
    if (running.length === 0) break;
    const isLast: boolean = !isCommitted && running.every((step) => step.isLast);
    const rows = yield { queries: running.flatMap(({ queries }) => queries), isLast };
    isCommitted ||= isLast;
    for (const [at, each] of all.entries()) {
      if (each.step.done === true) continue;
      const own = rows.splice(0, each.step.value.queries.length);
      try {
        each.step = each.work.next(own);
      } catch (error) {
        if (!isCommitted) throw error;
        results[at] = () => {
          throw error;
        };
        each.step = { done: true, value: undefined as T };
      }
    }
  }
  return all.map(({ step }, at) => results[at] ?? (() => step.value as T));
}
