import type { Mutation } from "./mutation.ts";

/** Of `runtime`, `contract` and `client`. */
export const mutations: readonly Mutation[] = [
  {
    breaks: "a slot goes to the owner that uses the most",
    file: "runtime/fair-semaphore.ts",
    from: "return difference < 0;",
    to: "return difference > 0;",
    tests: ["runtime/fair-semaphore"],
  },
  {
    breaks: "a link to a file on a disk that is not mounted counts as a missing file",
    file: "runtime/user-files.ts",
    from: "if (link?.isSymbolicLink()) throw new NoFile(deadLink);",
    to: "",
    tests: ["runtime/user-files"],
  },
  {
    breaks: "a card number with a doubled digit above 9 is refused",
    file: "contract/card.ts",
    from: "doubled > 9 ? doubled - 9 : doubled",
    to: "doubled",
    tests: ["contract/card.test"],
  },
  {
    breaks: "a card number in groups is repeated in an error",
    file: "contract/mask.ts",
    from: "(?:[ .-]?[0-9]){11,}",
    to: "[0-9]{11,}",
    tests: ["contract/mask"],
  },
  {
    breaks: "a card number in a key of metadata is stored",
    file: "contract/payment.ts",
    from: "else if (containsCardNumber(key))",
    to: "else if (key === '')",
    tests: ["contract/payment"],
  },
  {
    breaks: "a page may be one larger than the limit",
    file: "contract/list-object.ts",
    from: "integerText(1, maxPageSize, ",
    to: "integerText(1, maxPageSize + 1, ",
    tests: ["contract/list-object"],
  },
  {
    breaks: "another machine passes for this one",
    file: "client/loopback.ts",
    from: "/^(?:.+\\.)?localhost\\.?$/",
    to: "/localhost/",
    tests: ["client/request"],
  },
  {
    breaks: "a request over the rate limit is not retried",
    file: "client/errors.ts",
    from: "status === 429 || ",
    to: "",
    tests: ["client/client"],
  },
  {
    breaks: "live data in a response to a test key passes",
    file: "client/read-response.ts",
    from: 'livemode !== (mode === "live")',
    to: "livemode === undefined",
    tests: ["client/unexpected-responses"],
  },
  {
    breaks: "a list goes on beyond the number of items that the caller wants",
    file: "client/list-pages.ts",
    from: "left -= page.data.length;",
    to: "left -= 0;",
    tests: ["client/list-pages.test"],
  },
  {
    breaks: "a webhook counts as genuine for its first secret alone",
    file: "client/verify-webhook.ts",
    from: "if (!refusals.includes(undefined)) throw",
    to: "if (refusals[0] !== undefined) throw",
    tests: ["client/verify-webhook"],
  },
  {
    breaks: "a response of any size is read into memory",
    file: "client/dispatch.ts",
    from: "if (size <= maxResponseBytes) return;",
    to: "if (size <= Infinity) return;",
    tests: ["client/time-limits"],
  },
];
