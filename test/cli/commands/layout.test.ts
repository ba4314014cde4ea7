import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { paymentNumbers } from "../../testkit/client/scripted-list.ts";
import {
  accountWith,
  json,
  paymentWith,
  scriptedServer,
  type ScriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { runInTerminal, requireTerminals } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  runPayments,
  type RunOptions,
} from "../../testkit/command/run-payments.ts";

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
  "test-cards": ["test-cards"],
  "keys list": ["keys", "list"],
  whoami: ["whoami"],
};
const commands = Object.entries(all);

describe.concurrent("data in a pipe and in a terminal", () => {
  requireTerminals();
  /** All runs share one home, so that all see the same keys. */
  const home = createTemporaryHome();
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

  function createOptions(name: string): RunOptions {
    const { url } = name === "whoami" ? account : name.includes("list") ? many : one;
    return { home, env: { ...createServiceEnv(url), TZ: "UTC" } };
  }

  async function readScreen(name: string, args: string[], columns: number): Promise<string> {
    const options = { ...createOptions(name), columns, stderrTo: "/dev/null" };
    const terminal = runInTerminal(args, options);
    expect(await terminal.exitCode).toBe(0);
    return terminal.screen().replaceAll("\r\n", "\n");
  }

  test("have one line for each payment of list, in any width", async () => {
    const { data } = list;
    for (const columns of [40, 100, 200]) {
      const screen = await readScreen("list", ["list"], columns);
      const [, ...lines] = screen.trimEnd().split("\n");
      expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(data.map(({ id }) => id));
      expect(measureWidth(screen)).toBeLessThanOrEqual(columns);
      expect(lines[0]).toMatch(columns < 80 ? /^pay_/ : /failed insu\S+ +49\.99 EUR/);
    }
  });

  test.each(commands.filter(([name]) => name !== "list --fields"))(
    "are the same JSON for %s",
    async (name, args) => {
      const { stdout } = await runPayments([...args, "--json"], createOptions(name));
      const screen = await readScreen(name, [...args, "--json"], 40);
      expect(JSON.parse(screen)).toEqual(JSON.parse(stdout));
    },
  );
});

function measureWidth(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}
