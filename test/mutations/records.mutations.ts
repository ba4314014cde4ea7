import type { Mutation } from "./mutation.ts";

const loggedRequests = ["service/http/logged-requests", "service/http/secrets"];

export const mutations: readonly Mutation[] = [
  {
    breaks: "a card number in a path is kept",
    file: "service/http/record-request.ts",
    from: "plainSegment.test(text) ? mask(text)",
    to: "true ? text",
    tests: loggedRequests,
  },
  {
    breaks: "reads that succeed fill the log",
    file: "service/http/record-request.ts",
    from: "!logsReads || status < 400",
    to: "!logsReads",
    tests: loggedRequests,
  },
  {
    breaks: "a replay looks like the first request",
    file: "service/http/record-request.ts",
    from: 'reply.hasHeader("idempotent-replayed")',
    to: "false",
    tests: loggedRequests,
  },
  {
    breaks: "the requests of a refused batch are lost",
    file: "service/requests/log-requests.ts",
    from: "if (error instanceof Unavailable) buffer.unshift(...batch);",
    to: "if (error instanceof Unavailable) continue;",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "a log that the store refuses grows in memory",
    file: "service/requests/log-requests.ts",
    from: "buffer.push(request);\n      dropOldest();",
    to: "buffer.push(request);",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "a busy service gathers thousands of requests in memory before it writes them",
    file: "service/requests/log-requests.ts",
    from: "buffer.length < minBatchSize ? gatherMs : 0",
    to: "gatherMs",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "a store that refuses requests is asked again at once",
    file: "service/requests/log-requests.ts",
    from: "isFailing ? retryMs : buffer",
    to: "buffer",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "what comes during a write of requests waits for another request",
    file: "service/requests/log-requests.ts",
    from: "await writing;\n    schedule();",
    to: "await writing;",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "a service that ends is silent about requests that it could not log",
    file: "service/server/open-service.ts",
    from: "if (lost > 0)",
    to: "if (lost > 99)",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "an account keeps more requests than the maximum",
    file: "service/use-cases/purge.ts",
    from: "kept > retained ? kept : retained",
    to: "retained",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "requests past their retention are kept",
    file: "service/use-cases/purge.ts",
    from: "kept > retained ? kept : retained",
    to: "kept",
    tests: ["service/requests/log-requests"],
  },
  {
    breaks: "logs tail prints a request twice",
    file: "cli/listen/follow-requests.ts",
    from: "data.filter(({ id }) => !seen.has(id))",
    to: "data",
    tests: ["cli/listen/follow-requests", "e2e/logs-tail"],
  },
  {
    breaks: "logs tail misses what a slow request logs late",
    file: "cli/listen/follow-requests.ts",
    from: "newest - windowSeconds);\n    const readsWhole",
    to: "newest + 1);\n    const readsWhole",
    tests: ["cli/listen/follow-requests", "e2e/logs-tail"],
  },
];
