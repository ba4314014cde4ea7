import type { Mutation } from "./mutation.ts";

const model = ["service/sandbox/manual-clock-model"];
const sandbox = ["service/sandbox/sandbox.test"];
const requests = ["service/sandbox/request-faults"];
const webhooks = ["service/sandbox/webhook-faults"];
const gate = ["service/sandbox/request-gate"];
const network = ["service/sandbox/network-faults"];

/** Mutations of what the sandbox promises to tests. */
export const mutations: readonly Mutation[] = [
  {
    breaks: "the clock jumps to the end, and everything happens then",
    file: "service/sandbox/run-due-work.ts",
    from: "clock.hold(nextMs);",
    to: "clock.hold(targetMs);",
    tests: model,
  },
  {
    breaks: "a move does not wait for what is due at its end",
    file: "service/sandbox/run-due-work.ts",
    from: "nextMs > targetMs",
    to: "nextMs >= targetMs",
    tests: sandbox,
  },
  {
    breaks: "a move counts what was due before it",
    file: "service/sandbox/run-due-work.ts",
    from: "      await drainDue(targetMs); // what was due before is not counted\n",
    to: "",
    tests: sandbox,
  },
  {
    breaks: "time goes back",
    file: "service/sandbox/sandbox-clock.ts",
    from: "targetMs < Math.floor(nowMs / 1000) * 1000",
    to: "targetMs < 0",
    tests: sandbox,
  },
  {
    breaks: "the clock stays where it was at a reset",
    file: "service/server/serve-sandbox.ts",
    from: "      clock.restart();\n",
    to: "",
    tests: sandbox,
  },
  {
    breaks: "faults outlive a reset",
    file: "service/server/serve-sandbox.ts",
    from: "      faults.clearAll();\n",
    to: "",
    tests: sandbox,
  },
  {
    breaks: "a live key controls the sandbox",
    file: "service/sandbox/control-routes.ts",
    from: "      if (request.principal.scope.livemode) throw createInvalidKeyError();\n",
    to: "",
    tests: sandbox,
  },
  {
    breaks: "a sandbox erases a database that a service has used",
    file: "service/store/sandbox-database.ts",
    from: "return mark.row_counts === (yield* countRows(tables));",
    to: "return true;",
    tests: sandbox,
  },
  {
    breaks: "a sandbox erases a database that a service uses beside it",
    file: "service/store/sandbox-database.ts",
    from: "return (yield* queryRows(sql, [sandboxKeyName])).length === 0;",
    to: "return true;",
    tests: sandbox,
  },
  {
    breaks: "a client that left while it waited for a reset holds up the next one",
    file: "service/sandbox/request-gate.ts",
    from: "if (reply.raw.destroyed) {",
    to: "if (false) {",
    tests: gate,
  },
  {
    breaks: "a request from before a reset writes into what has started over",
    file: "service/sandbox/request-gate.ts",
    from: "if (request.passedAt !== timesClosed) return reply.hijack();",
    to: "",
    tests: gate,
  },
  {
    breaks: "a page whose name leads to this machine uses the sandbox",
    file: "service/server/serve-sandbox.ts",
    from: "        refuseForeignHosts(app, settings.host);\n",
    to: "",
    tests: sandbox,
  },
  {
    breaks: "secrets do not repeat with the seed",
    file: "service/sandbox/seeded-random.ts",
    from: "const count = counts.get(purpose) ?? 0;",
    to: "const count = Math.random();",
    tests: sandbox,
  },
  {
    breaks: "a lost answer is answered",
    file: "service/sandbox/request-faults.ts",
    from: "if (request.losesAnswer) request.raw.socket.destroy();",
    to: "",
    tests: requests,
  },
  {
    breaks: "a fault strikes requests that it has to let pass",
    file: "service/sandbox/faults.ts",
    from: "if (fault.passed < fault.after) {",
    to: "if (fault.passed < 0) {",
    tests: requests,
  },
  {
    breaks: "a fault of one account strikes all",
    file: "service/sandbox/faults.ts",
    from: "for (const fault of byAccount.get(accountId) ?? []) {",
    to: "for (const fault of [...byAccount.values()].flat()) {",
    tests: requests,
  },
  {
    breaks: "the journal grows without end",
    file: "service/sandbox/request-journal.ts",
    from: "if (entries.length > maxJournal) entries.shift();",
    to: "",
    tests: requests,
  },
  {
    breaks: "the journal holds card numbers",
    file: "service/sandbox/request-faults.ts",
    from: "maskBody(request.body)",
    to: "request.body",
    tests: requests,
  },
  {
    breaks: "an event that was to follow another is delivered before it",
    file: "service/sandbox/webhook-faults.ts",
    from: 'if (fault.do === "reorder") reordered.set(',
    to: "if (heldBack.size < 0) reordered.set(",
    tests: webhooks,
  },
  {
    breaks: "a webhook whose answer was lost is not sent again",
    file: "service/sandbox/webhook-faults.ts",
    from: 'fault === "lost_answer" ? lostAnswer : outcome',
    to: "outcome",
    tests: webhooks,
  },
  {
    breaks: "a lost answer of the network fails what it has approved",
    file: "service/sandbox/network-faults.ts",
    from: 'if (fault && outcome.outcome === "approved")',
    to: 'if (fault?.do === "processing" && outcome.outcome === "approved")',
    tests: network,
  },
  {
    breaks: "a HEAD uses up a fault",
    file: "service/sandbox/request-faults.ts",
    from: "{ usesUp: !isHead }",
    to: "{ usesUp: true }",
    tests: ["service/sandbox/request-faults"],
  },
  {
    breaks: "the controls of a sandbox stand in the log of requests",
    file: "service/http/record-request.ts",
    from: "if (!principal || !isApiPath(request.url)) return",
    to: "if (!principal) return",
    tests: ["service/sandbox/sandbox"],
  },
  {
    breaks: "what was held back during a move of the clock is never sent",
    file: "service/sandbox/late-deliveries.ts",
    from: "await postpone(scope, delivery, nowMs);",
    to: "",
    tests: ["service/sandbox/sandbox.test.ts"],
  },
];
