import type { Mutation } from "./mutation.ts";

// The commands with which developers test an integration: pay, trigger, listen --until, fixtures.

export const mutations: readonly Mutation[] = [
  {
    breaks: "a card is sent to a live page",
    file: "client/checkout-page.ts",
    from: "if (livemode) throw livePage();",
    to: "",
    tests: ["client/checkout-page"],
  },
  {
    breaks: "a customer at the bank declines where it was asked to approve",
    file: "client/checkout-page.ts",
    from: "form: { decision: challenge }",
    to: `form: { decision: "decline" }`,
    tests: ["client/checkout-page"],
  },
  {
    breaks: "a page that is paid is said to be paid again",
    file: "client/checkout-page.ts",
    from: `else if (!isAtBank(page)) throw closedPage("its payment is being processed");`,
    to: "",
    tests: ["client/checkout-page"],
  },
  {
    breaks: "an event whose forwarding takes minutes arrives twice",
    file: "service/webhooks/listen.ts",
    from: "body.lease_seconds ?? defaultLeaseSeconds",
    to: "defaultLeaseSeconds",
    tests: ["service/webhooks/listen"],
  },
  {
    breaks: "an assertion holds although the address has refused the event",
    file: "cli/listen/await-event.ts",
    from: "if (event.type !== awaited?.type || !isTaken(forwarded)) return;",
    to: "if (event.type !== awaited?.type) return;",
    tests: ["cli/commands/listen.test"],
  },
  {
    breaks: "an assertion holds although nothing came in time",
    file: "cli/listen/await-event.ts",
    from: "if (!awaited || hasCome) return;",
    to: "if (awaited) return;",
    tests: ["cli/commands/listen.test"],
  },
  {
    breaks: "a response's escape sequences reach the terminal",
    file: "runtime/safe-text.ts",
    from: `.map((line) => escapeControls(line.replaceAll("\\t", "  ")));`,
    to: `.map((line) => line.replaceAll("\\t", "  "));`,
    tests: ["cli/output/event-line"],
  },
  {
    breaks: "a header replaces the signature of a webhook",
    file: "cli/parse/listen-flags.ts",
    from: "if (reservedHeader.test(key)) {",
    to: "if (false) {",
    tests: ["cli/parse/listening"],
  },
  {
    breaks: "a fixture refers to a step that comes later",
    file: "cli/fixtures/fixture-step.ts",
    from: "if (kind === undefined) return `refers to",
    to: "if (false) return `refers to",
    tests: ["cli/fixtures/read-fixtures"],
  },
  {
    breaks: "a fixture that was not met is passed over",
    file: "cli/fixtures/run-fixtures.ts",
    from: "const isMet = expect === status || expect === decline_code;",
    to: "const isMet = true;",
    tests: ["cli/fixtures/run-fixtures"],
  },
  {
    breaks: "steps are sent although the service cannot move its clock",
    file: "cli/fixtures/run-fixtures.ts",
    from: `if (!moves) return "real";`,
    to: `return "real";`,
    tests: ["cli/fixtures/run-fixtures"],
  },
  {
    breaks: "a fixture waits for what cannot come while time stands still",
    file: "cli/fixtures/run-fixtures.ts",
    from: `if (clockMode === "manual") return`,
    to: "if (clockMode === undefined) return",
    tests: ["cli/fixtures/run-fixtures"],
  },
];
