import type { Mutation } from "./mutation.ts";

export const mutations: readonly Mutation[] = [
  {
    breaks: "a cell of CSV that a spreadsheet would run has no apostrophe before it",
    file: "runtime/csv.ts",
    from: `.replaceAll(formulaInText, "'")`,
    to: `.replaceAll(formulaInText, "")`,
    tests: ["runtime/csv"],
  },
  {
    breaks: "escape sequences of an API's text reach the terminal",
    file: "runtime/safe-text.ts",
    from: String.raw`[\p{Cc}\u061c`,
    to: String.raw`[\u061c`,
    tests: ["runtime/safe-text"],
  },
  {
    breaks: "the items of a JSON list that is written as it arrives have no comma between them",
    file: "cli/output/stream-list.ts",
    from: `isFirst ? "" : ","`,
    to: `isFirst ? "," : ""`,
    tests: ["cli/output/stream-list"],
  },
  {
    breaks: "--debug shows a whole card number",
    file: "contract/mask-body.ts",
    from: "value.slice(-4)",
    to: "value.slice(-16)",
    tests: ["contract/mask-body"],
  },
  {
    breaks: "a key that may not do something ends as misuse, not with exit 4",
    file: "cli/errors/problem.ts",
    from: "if (status === 401 || status === 403)",
    to: "if (status === 401)",
    tests: ["cli/errors/problem"],
  },
  {
    breaks: "a terminated command exits as an interrupted one",
    file: "cli/errors/interruption.ts",
    from: "SIGTERM: 143",
    to: "SIGTERM: 130",
    tests: ["cli/errors/interruption"],
  },
  {
    breaks: "30 February is read as 2 March",
    file: "cli/parse/time.ts",
    from: " || !isRealDate(iso)",
    to: "",
    tests: ["cli/parse/point-in-time"],
  },
  {
    breaks: "a live card's security code is accepted on the command line",
    file: "cli/parse/payment-request.ts",
    from: `(flags["card-number"] !== undefined || flags.cvc !== undefined)`,
    to: `flags["card-number"] !== undefined`,
    tests: ["cli/parse/payment-request"],
  },
  {
    breaks: "a secret typed instead of a command is printed",
    file: "cli/help/unknown-command.ts",
    from: `redactSecret(word) === undefined
      ?`,
    to: `word === ""
      ?`,
    tests: ["cli/help/usage-error"],
  },
  {
    breaks: "an integer below its minimum is accepted",
    file: "cli/parse/flag-kinds.ts",
    from: "value < min",
    to: "value < 0",
    tests: ["cli/help/usage-error"],
  },
];
