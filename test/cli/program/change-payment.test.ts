import { describe, expect, test } from "vitest";
import {
  canceling,
  choosePayment,
  confirmChange,
  refunding,
} from "../../../src/cli/program/change-payment.ts";
import type { Prompter } from "../../../src/cli/prompts/prompter.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import { refusal, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  type Answer,
  createPages,
  createScriptedPrompter,
} from "../../testkit/command/scripted-prompter.ts";

const no = { exitCode: 10, message: "Canceled; nothing was refunded." };

describe("a refund in test mode", () => {
  test("is confirmed by yes", async () => {
    const { prompter, transcript } = createScriptedPrompter(true);
    await confirmChange(prompter, paymentWith(), refunding);
    expect(transcript).toEqual(["Refund 49.99 EUR?"]);
  });

  test("does not happen after no", async () => {
    await expect(
      confirmChange(createScriptedPrompter(false).prompter, paymentWith(), refunding),
    ).rejects.toMatchObject(no);
  });
});

describe("a refund in live mode", () => {
  const live = paymentWith({ livemode: true });

  test("names the place where there are several", async () => {
    const place = "production (live)";
    const { prompter, transcript } = createScriptedPrompter("49.99", "49.99");
    await confirmChange(prompter, live, refunding, place);
    await confirmChange(prompter, live, canceling, place);
    expect(transcript).toEqual([
      "Refund 49.99 EUR in production (live)? Type the amount, 49.99 EUR, to refund it:",
      "Cancel the payment of 49.99 EUR in production (live)? Type the amount, 49.99 EUR, to cancel it:",
    ]);
  });

  test.each(["49.99", "49.99 EUR", " 49.99 eur ", "49,99", "€49.99"])(
    "is confirmed by %j",
    async (typed) => {
      const { prompter, transcript } = createScriptedPrompter(typed);
      await confirmChange(prompter, live, refunding);
      expect(transcript).toEqual(["Live mode. Type the amount, 49.99 EUR, to refund it:"]);
    },
  );

  test.each(["y", "yes", "4999", "49.98", "49.99 USD", "EUR"])(
    "does not happen after %j three times, and the error says that it is not the amount",
    async (typed) => {
      const { prompter, transcript } = createScriptedPrompter(typed, typed, typed, "49.99");
      await expect(confirmChange(prompter, live, refunding)).rejects.toMatchObject({
        exitCode: 10,
        message: "The typed amount is not 49.99 EUR; nothing was refunded.",
      });
      const question = "Live mode. Type the amount, 49.99 EUR, to refund it:";
      const again = "! That is not 49.99 EUR. Type it again, or Enter alone to cancel.";
      expect(transcript).toEqual([question, again, question, again, question]);
    },
  );

  test("is confirmed by the third amount that is typed", async () => {
    const { prompter } = createScriptedPrompter("49.98", "4999", "49.99");
    await expect(confirmChange(prompter, live, refunding)).resolves.toBeUndefined();
  });

  test("is canceled by Enter alone, after a wrong amount too", async () => {
    const { prompter } = createScriptedPrompter("49.98", "");
    await expect(confirmChange(prompter, live, refunding)).rejects.toMatchObject(no);
  });

  test("is canceled if nothing is typed", async () => {
    await expect(
      confirmChange(createScriptedPrompter("").prompter, live, refunding),
    ).rejects.toMatchObject(no);
  });
});

test("a cancellation is asked about in its own words", async () => {
  const yes = createScriptedPrompter(true);
  await confirmChange(yes.prompter, paymentWith(), canceling);
  const refused = confirmChange(createScriptedPrompter(false).prompter, paymentWith(), canceling);
  await expect(refused).rejects.toMatchObject({
    exitCode: 10,
    message: "You did not confirm; the payment was not canceled.",
  });
  const live = createScriptedPrompter("49.99");
  await confirmChange(live.prompter, paymentWith({ livemode: true }), canceling);
  expect([...yes.transcript, ...live.transcript]).toEqual([
    "Cancel the payment of 49.99 EUR?",
    "Live mode. Type the amount, 49.99 EUR, to cancel it:",
  ]);
});

const service = runningService({ processingTimeMs: 60_000 });
const retrieve = async () => Promise.reject(new Error("Nothing is looked up."));

/** Types a text while choosing among these payments. */
async function searchFor(payments: Payment[], typed: string) {
  const { prompter, found } = createScriptedPrompter({ typed, chooses: "" });
  await choosePayment(prompter, { ...createPages(payments), retrieve }, refunding).catch(() => {});
  const [result] = found;
  return { rows: result?.choices.map(({ cells }) => cells) ?? [], note: result?.note, result };
}

describe("choosing a payment", () => {
  test("returns the picked payment", async () => {
    const { payments } = service.client({ apiKey: service.keys.live });
    await payments.create({ ...body, card: declining, description: "A book, declined" });
    const expected = await payments.create({ ...body, description: "A book, sold" });
    await payments.create({ ...body, description: "A lamp" });
    const { prompter, transcript, found } = createScriptedPrompter({ typed: "BOOK", chooses: "" });
    expect(await choosePayment(prompter, payments, refunding)).toEqual(expected);
    expect(transcript).toEqual(["Which payment?"]);
    expect(found[0]?.choices).toHaveLength(1);
  });

  test("shows amount, customer, card, time and description, and the id of each", async () => {
    const customer = { email: "ada@example.com", name: "Ada" };
    const payments = [
      paymentWith({ id: "pay_2", amount: 100_000, customer, description: "x".repeat(40) }),
      paymentWith({ id: "pay_1", customer: { email: "", name: "Bob" }, card: null }),
    ];
    const { rows, result } = await searchFor(payments, "");
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/) as unknown;
    expect(rows).toEqual([
      ["1000.00 EUR", "ada@example.com (Ada)", "visa 4242", at, `${"x".repeat(29)}…`],
      ["  49.99 EUR", "Bob", "", at, ""],
    ]);
    expect(result?.choices.map(({ detail }) => detail)).toEqual(["pay_2", "pay_1"]);
  });

  test("removes control characters of the API's texts", async () => {
    const hostile = paymentWith({
      customer: { email: "\u001B[31mada\r\n", name: "" },
      description: "\u202Eevil",
      card: {
        brand: "\u009Bvisa",
        last4: "\u001B[2J",
        exp_month: 1,
        exp_year: 2030,
        country: "US",
      },
    });
    const { rows } = await searchFor([hostile], "");
    expect(rows[0]?.slice(1, 3)).toEqual(["�[31mada��", "�visa �[2J"]);
    expect(rows[0]?.[4]).toBe("�evil");
  });

  test("notes if nothing matches", async () => {
    const { rows, note } = await searchFor([paymentWith()], "bob");
    expect({ rows, note }).toEqual({
      rows: [],
      note: "Nothing matches. The whole history has been searched, for whole words and beginnings of names.",
    });
  });

  test("shows at most 100 payments, and notes it", async () => {
    const many = Array.from({ length: 150 }, (_, at) => paymentWith({ id: `pay_${at}` }));
    const { prompter } = createScriptedPrompter();
    const { signal } = new AbortController();
    const search: Prompter["search"] = async ({ find }) => {
      await Array.fromAsync(find("what loads every page", signal));
      const { choices, note } = (await Array.fromAsync(find("", signal))).at(-1)!;
      expect(choices).toHaveLength(100);
      expect(note).toBe("Only the newest 100 of them are shown.");
      return choices[0]!.value;
    };
    await choosePayment({ ...prompter, search }, { ...createPages(many), retrieve }, refunding);
    expect.assertions(2);
  });

  test("finds a payment that is older than the newest 1,000", async () => {
    const old = paymentWith({ id: "pay_old", description: "A violin", created: 1 });
    const newest = Array.from({ length: 1_200 }, (_, at) => paymentWith({ id: `pay_${at}` }));
    const { prompter, found } = createScriptedPrompter({ typed: "violin", chooses: "violin" });
    const source = { ...createPages(newest, [old]), retrieve };
    expect(
      await choosePayment(prompter, source, refunding, { pauseMs: 0, lateMs: 60_000 }),
    ).toEqual(old);
    expect(found[0]).toMatchObject({
      note: "The whole history has been searched, for whole words and beginnings of names.",
      isPartial: false,
    });
  });

  test("to cancel offers only those whose page is open for the customer", async () => {
    const redirect_url = "https://pay.example/pay/token";
    const open = { status: "pending", card: null, redirect_url } as const;
    const payments = [
      paymentWith({ id: "pay_3", status: "pending" }),
      paymentWith({ id: "pay_2", ...open, card: paymentWith().card }),
      paymentWith({ id: "pay_1", ...open }),
    ];
    const { prompter, found } = createScriptedPrompter({ typed: "", chooses: "" });
    const chosen = await choosePayment(prompter, { ...createPages(payments), retrieve }, canceling);
    expect(chosen.id).toBe("pay_1");
    expect(found[0]?.choices).toHaveLength(1);
    const none = { ...createPages(payments.slice(0, 2)), retrieve };
    await expect(choosePayment(prompter, none, canceling)).rejects.toMatchObject({
      exitCode: 5,
      message: "There is no pending payment with an open page to cancel.",
    });
  });

  test("exits with 5 without a succeeded payment", async () => {
    const { prompter, transcript } = createScriptedPrompter();
    const none = choosePayment(prompter, { ...createPages([]), retrieve }, refunding);
    await expect(none).rejects.toMatchObject({
      exitCode: 5,
      message: "There is no succeeded payment to refund.",
    });
    expect(transcript).toEqual([]);
  });
});

describe("a whole id that is not among the recent ones", () => {
  const newest = { ...createPages([paymentWith({ id: "pay_1" })]) };
  const lookUp = async (id: string, answer: Answer) => {
    const { prompter, found } = createScriptedPrompter(answer);
    const { payments } = service.client();
    const chosen = choosePayment(prompter, { ...newest, retrieve: payments.retrieve }, refunding);
    return { chosen: await chosen.catch((error: unknown) => error), found: found[0], id };
  };

  test("is looked up directly", async () => {
    const payment = await service.client().payments.create(body);
    const { chosen } = await lookUp(payment.id, { typed: ` ${payment.id} `, chooses: "" });
    expect(chosen).toEqual(payment);
  });

  test("is looked up before older pages are loaded", async () => {
    const payment = await service.client().payments.create(body);
    const source = createPages(
      Array.from({ length: 300 }, (_, at) => paymentWith({ id: `pay_${at}` })),
    );
    const { prompter } = createScriptedPrompter({ typed: payment.id, chooses: "" });
    const { payments } = service.client();
    await choosePayment(prompter, { ...source, retrieve: payments.retrieve }, refunding);
    expect(source.loaded()).toBe(1);
  });

  test("cannot be chosen if it has not succeeded", async () => {
    const { id } = await service.client().payments.create({ ...body, card: declining });
    const { found } = await lookUp(id, { typed: id, chooses: "" });
    expect(found).toEqual({
      choices: [],
      note: "This payment is pending; only a succeeded payment can be refunded.",
    });
  });

  test("ends the command if it cannot be looked up", async () => {
    const id = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
    const server = await scriptedServer(refusal(401, "invalid_api_key"));
    const { payments } = service.client({ baseUrl: server.url });
    const { prompter } = createScriptedPrompter({ typed: id, chooses: "" });
    await expect(
      choosePayment(prompter, { ...newest, retrieve: payments.retrieve }, refunding),
    ).rejects.toMatchObject({ status: 401 });
  });
});
