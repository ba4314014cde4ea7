import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, beforeAll } from "vitest";
import stringWidth from "fast-string-width";
import { endpointWith, eventWith, paymentWith } from "../../testkit/api-objects.ts";
import {
  type Answer,
  type ScriptedServer,
  envelopeError,
  holding,
  json,
  paymentNumbers,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { runInTerminal, requireTerminals } from "../../testkit/command/in-terminal.ts";
import { createServiceEnv, runPayments, type Ran } from "../../testkit/command/run-payments.ts";

const payment = paymentWith({ status: "failed" });
const list = { object: "list", url: "/v1/payments", data: [payment], has_more: false };
const red = "\u001B[31m";

/** Prints data as well as an error. */
const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--wait"];

async function failedPayment(env: Record<string, string>, ...flags: string[]) {
  const server = await scriptedServer(holding(0), json(201, payment));
  return await runPayments([...create, ...flags], {
    env: { ...createServiceEnv(server.url), ...env },
  });
}

describe.concurrent("colour in a pipe", () => {
  test.each([{ TERM: "xterm" }])("is off with %j", async (env) => {
    const { stdout, stderr } = await failedPayment(env);
    expect(stdout).toMatch(/^Payment +pay_/);
    expect(stderr).toMatch(/^Error: The payment failed/);
    expect(stdout + stderr).not.toContain("\u001B");
  });

  test.each([{ FORCE_COLOR: "1" }])("is on with %j, for data and for errors", async (env) => {
    const { stdout, stderr } = await failedPayment(env);
    expect(stdout).toContain(`${red}failed\u001B[39m`);
    expect(stderr).toContain(red);
  });

  test.each([{ NO_COLOR: "1" }])(
    "is off with %j, even if other variables turn it on",
    async (env) => {
      const variables = { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", ...env };
      const { stdout, stderr } = await failedPayment(variables);
      expect(stdout + stderr).not.toContain("\u001B");
    },
  );

  test.each(["--help", "list --help", "help exit-codes"])(
    "is on with CLICOLOR_FORCE in %s too, unless NO_COLOR is set",
    async (line) => {
      const help = async (env: Record<string, string>) =>
        (await runPayments(line.split(" "), { env })).stdout;
      expect(await help({})).not.toContain("\u001B");
      expect(await help({ CLICOLOR_FORCE: "1" })).toContain("\u001B[");
      expect(await help({ CLICOLOR_FORCE: "1", NO_COLOR: "1" })).not.toContain("\u001B");
    },
  );
});

describe.concurrent("colour in a terminal", () => {
  requireTerminals();
  const failing = ["get", "pay_1"];
  const commands: [string, string[]][] = [
    ["data", ["list", "--debug"]],
    ["an error", failing],
    ["help", ["list", "--help"]],
    ["the list of commands", ["--help"]],
  ];

  async function readScreen(args: string[], env: Record<string, string> = {}): Promise<string> {
    const server = await scriptedServer(
      args === failing ? refusal(404, "resource_missing") : json(200, list),
    );
    const terminal = runInTerminal(args, { env: { ...createServiceEnv(server.url), ...env } });
    expect(await terminal.exitCode).toBe(args === failing ? 5 : 0);
    return terminal.screen();
  }

  test.each(commands)("%s is coloured", async (_, args) => {
    expect(await readScreen(args)).toContain("\u001B[");
  });

  test.each([commands[0]!, commands[2]!])(
    "%s is plain if the environment turns colours off",
    async (_, args) => {
      // A list that is slow on a busy machine shows its progress, and removes it.
      const screen = (await readScreen(args, { NO_COLOR: "1" })).replaceAll("\u001B[K", "");
      expect(screen).not.toContain("\u001B");
    },
  );

  test("is off in a terminal that knows none", async () => {
    expect(await readScreen(failing, { TERM: "dumb" })).not.toContain("\u001B");
  });

  test("is decided for each stream: data in a file is plain, the error on the screen is coloured", async () => {
    const stdoutTo = join(createTemporaryHome(), "stdout.txt");
    const server = await scriptedServer(holding(0), json(201, payment));
    const terminal = runInTerminal(create, { env: createServiceEnv(server.url), stdoutTo });
    expect(await terminal.exitCode).toBe(3);
    expect(terminal.screen()).toContain(red);
    expect(readFileSync(stdoutTo, "utf8")).toMatch(/^Payment +pay_[^\p{Cc}]+\n/u);
    expect(readFileSync(stdoutTo, "utf8")).not.toContain("\u001B");
  });
});

const widePayment = paymentWith({
  status: "failed",
  decline_code: "insufficient_funds",
  decline_message: "There is not enough money in the account behind this card.",
  description: "A book about 東京, 大阪 and 京都, bound in linen – with a ribbon 🫠",
  customer: { email: "ada.lovelace@a-rather-long-domain.example.com", name: "Ada Lovelace" },
  metadata: { order_id: "1001", note: "a, b; =c" },
});
const wideList = {
  object: "list",
  url: "/v1/payments",
  data: [widePayment, ...paymentNumbers(1, 3)],
  has_more: false,
};
describe.concurrent("data in a pipe and in a terminal", () => {
  requireTerminals();
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await scriptedServer(json(200, wideList));
  });
  const options = () => ({ env: { ...createServiceEnv(server.url), TZ: "UTC" } });

  async function readScreen(args: string[], columns: number): Promise<string> {
    const terminal = runInTerminal(args, { ...options(), columns, stderrTo: "/dev/null" });
    expect(await terminal.exitCode).toBe(0);
    return terminal.screen().replaceAll("\r\n", "\n");
  }

  test("have one line for each payment of list, in any width", async () => {
    const { data } = wideList;
    for (const columns of [40, 200]) {
      const screen = await readScreen(["list"], columns);
      const [, ...lines] = screen.trimEnd().split("\n");
      expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(data.map(({ id }) => id));
      expect(measureWidth(screen)).toBeLessThanOrEqual(columns);
      expect(lines[0]).toMatch(columns < 80 ? /^pay_/ : /failed insu\S+ +49\.99 EUR/);
    }
  });

  test("are the same JSON", async () => {
    const args = ["list", "--json"];
    const { stdout } = await runPayments(args, options());
    expect(JSON.parse(await readScreen(args, 40))).toEqual(JSON.parse(stdout));
  });
});

function measureWidth(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

/** Text that would clear a screen, hide a link, ring, go back, reverse text, or run in a spreadsheet. */
const hostile = [
  '=HYPERLINK("https://evil.example","pay")',
  "\u001B[2J\u001B]8;;https://evil.example\u0007here\u001B]8;;\u001B\\",
  "\r\n\t\b\u0000\u007F\u0085\u009B31m\u009D0;owned\u009C",
  "\u202Eevil\u2066\u2069\u200F\u2028\uFEFF",
  "😀👩🏽‍💻東京é",
  "x".repeat(10_000),
].join(" ");
const hostilePayment = paymentWith({
  currency: hostile,
  description: hostile,
  card: { brand: hostile, last4: hostile, exp_month: 12, exp_year: 2031, country: hostile },
  customer: { email: hostile, name: hostile },
  metadata: { [hostile]: hostile, order_id: hostile },
  decline_code: hostile,
  decline_message: hostile,
  redirect_url: hostile,
});
const hostileList = {
  object: "list",
  url: hostile,
  data: [hostilePayment, hostilePayment],
  has_more: false,
};
const event = eventWith({ id: "evt_1", data: { object: hostilePayment } });
const events = { ...hostileList, data: [event, event] };
const endpoint = endpointWith({
  url: hostile,
  events: [hostile],
  description: hostile,
  disabled_reason: hostile,
});
const headers = { "x-note": "\u009B2Jowned" };
const refused = json(
  404,
  {
    error: {
      ...envelopeError,
      type: hostile,
      code: hostile,
      message: hostile,
      param: hostile,
      decline_code: hostile,
      doc_url: hostile,
      request_id: hostile,
    },
  },
  headers,
);

const fields = "id,description,metadata.order_id,metadata,card,customer.name,currency,amount";
const runs: [name: string, args: string[], answer: Answer][] = [
  ["a list", ["list"], json(200, hostileList, headers)],
  ["fields of a list", ["list", "--fields", fields], json(200, hostileList, headers)],
  ["a payment", ["get", hostilePayment.id], json(200, hostilePayment, headers)],
  ["events", ["events", "list"], json(200, events, headers)],
  ["an event", ["events", "get", "evt_1"], json(200, event, headers)],
  ["endpoints", ["webhooks", "list"], json(200, { ...hostileList, data: [endpoint] }, headers)],
  ["an endpoint", ["webhooks", "get", endpoint.id], json(200, endpoint, headers)],
  ["an error", ["get", "pay_1"], refused],
];
const formats = ["table", "json", "ndjson", "csv"];
/** The characters that a terminal obeys: control characters, and those that change the direction of text. */
const steering = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

describe.concurrent.each(runs)("%s with hostile strings", (_, args, answer) => {
  test.each(formats)(
    "prints no control sequence in a pipe, as %s, traffic included",
    async (format) => {
      const { stdout, stderr } = await run([...args, "-o", format, "--debug"], answer);
      expect(stdout + stderr).toContain("東京");
      expect(removeLineBreaks(stderr)).not.toMatch(steering);
      expect(removeLineBreaks(format === "csv" ? removeTabs(stdout) : stdout)).not.toMatch(
        steering,
      );
    },
  );
});

async function run(args: string[], answer: Answer): Promise<Ran> {
  const server = await scriptedServer(answer);
  return await runPayments(args, { env: createServiceEnv(server.url) });
}

function removeLineBreaks(text: string): string {
  return text.replaceAll("\n", "");
}

/** Removes the tabs that a cell of CSV may contain inside quotes. */
function removeTabs(text: string): string {
  return text.replaceAll("\t", "");
}
