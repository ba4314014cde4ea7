import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { paymentNumbers } from "../../testkit/client/scripted-list.ts";
import {
  accountWith,
  json,
  paymentWith,
  refusal,
  scriptedServer,
  type ScriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";
import { inTerminal, needTerminals } from "../../testkit/command/in-terminal.ts";
import { against, runPayments, type RunOptions } from "../../testkit/command/run-payments.ts";

const payment = paymentWith({
  status: "failed",
  decline_code: "insufficient_funds",
  decline_message: "There is not enough money in the account behind this card.",
  description: "A book about 東京, 大阪 and 京都, bound in linen – with a ribbon 🫠",
  customer: { email: "ada.lovelace@a-rather-long-domain.example.com", name: "Ada Lovelace" },
  metadata: { order_id: "1001", note: "a, b; =c" },
});
const list = {
  object: "list",
  url: "/v1/payments",
  data: [payment, ...paymentNumbers(1, 3)],
  has_more: false,
};
const all: Record<string, string[]> = {
  list: ["list"],
  "list --fields": ["list", "--fields", "description,metadata,created,amount"],
  get: ["get", payment.id],
  create: ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"],
  refund: ["refund", payment.id, "--yes"],
  "test-cards": ["test-cards"],
  "keys list": ["keys", "list"],
  whoami: ["whoami"],
  mode: ["mode"],
};
const commands = Object.entries(all);

describe.concurrent("data in a pipe and in a terminal", () => {
  needTerminals();
  /** One home, whose keys all runs see. */
  const home = newHome();
  let one: ScriptedServer;
  let many: ScriptedServer;
  let account: ScriptedServer;
  beforeAll(async () => {
    one = await scriptedServer(json(200, payment));
    many = await scriptedServer(json(200, list));
    account = await scriptedServer(json(200, accountWith()));
    const key = [
      "keys",
      "create",
      "--mode",
      "live",
      "--name",
      "A name of 東京 that is long enough",
    ];
    await runPayments(key, { home });
  });

  function optionsOf(name: string): RunOptions {
    const { url } = name === "whoami" ? account : name.includes("list") ? many : one;
    return { home, env: { ...against(url), TZ: "UTC" } };
  }

  async function screenOf(name: string, args: string[], columns: number): Promise<string> {
    const options = { ...optionsOf(name), columns, stderrTo: "/dev/null" };
    const terminal = inTerminal(args, options);
    expect(await terminal.exitCode).toBe(0);
    return terminal.screen().replaceAll("\r\n", "\n");
  }

  test("are one line a payment of list, however wide", async () => {
    const { data } = list;
    for (const columns of [40, 80, 100, 120, 200]) {
      const screen = await screenOf("list", ["list"], columns);
      const [, ...lines] = screen.trimEnd().split("\n");
      expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(data.map(({ id }) => id));
      expect(widthOf(screen)).toBeLessThanOrEqual(columns);
      expect(lines[0]).toMatch(columns < 80 ? /^pay_/ : /failed insu\S+ +49\.99 EUR/);
    }
  });

  test.each(commands.filter(([name]) => name !== "list"))(
    "are the same words of %s, however wide",
    async (name, args) => {
      const { stdout } = await runPayments(args, optionsOf(name));
      expect(stdout).not.toBe("");
      const isTable = args.includes("list") || name === "test-cards";
      for (const columns of isTable ? [40, 80, 120, 200] : [40, 200]) {
        const screen = await screenOf(name, args, columns);
        expect(letters(screen)).toBe(letters(stdout));
        expect(isTable ? widthOf(screen) : 0).toBeLessThanOrEqual(columns);
      }
    },
  );

  test.each(commands.filter(([name]) => name !== "list --fields"))(
    "are the same JSON of %s",
    async (name, args) => {
      const { stdout } = await runPayments([...args, "--json"], optionsOf(name));
      const screen = await screenOf(name, [...args, "--json"], 40);
      expect(JSON.parse(screen)).toEqual(JSON.parse(stdout));
    },
  );

  test.each(["list", "get", "keys list"])("are the same lines of %s", async (name) => {
    for (const format of ["ndjson", "csv"]) {
      const args = [...(all[name] ?? []), "-o", format];
      const { stdout } = await runPayments(args, optionsOf(name));
      expect(await screenOf(name, args, 40)).toBe(stdout);
    }
  });
});

describe.concurrent("in a terminal", () => {
  needTerminals();
  test("JSON is indented, and the same data", async () => {
    const server = await scriptedServer(json(200, payment));
    const terminal = inTerminal(["get", payment.id, "--json"], { env: against(server.url) });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain('\n  "object": "payment",');
    expect(JSON.parse(terminal.screen())).toEqual(payment);
  });

  test("of unknown width a table keeps to one line for each payment", async () => {
    const server = await scriptedServer(json(200, { ...list, has_more: false }));
    const terminal = inTerminal(["list"], { env: against(server.url), columns: 0 });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen().trimEnd().split("\n")).toHaveLength(5);
  });

  test("an error ends with its exit code", async () => {
    const server = await scriptedServer(refusal(404, "resource_missing"));
    const terminal = inTerminal(["get", "pay_1"], { env: against(server.url) });
    expect(await terminal.exitCode).toBe(5);
    expect(terminal.screen()).toContain("It went wrong.");
  });
});

function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

/** What a text holds when colours and layout are taken away, wherever it stood. */
function letters(text: string): string {
  return [...stripVTControlCharacters(text).replaceAll(/\s/g, "")].toSorted().join("");
}
