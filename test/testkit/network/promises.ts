import { describe, expect, test } from "vitest";
import type { CardInput } from "../../../src/contract/payment.ts";
import type { LookUpOutcome } from "../../../src/service/domain/charge-state.ts";
import type { CardNetwork, Charge } from "../../../src/service/ports/card-network.ts";
import { cardWith, chargeWith } from "./charge-with.ts";

// What every card network promises, whichever it is: each gives a way to open it, and runs these.

export type OpenNetwork = () => CardNetwork | Promise<CardNetwork>;

const good = cardWith();
const bad = cardWith({ number: "4000000000000002" });
const poor = cardWith({ number: "4000000000009995" });
const approved = { outcome: "approved", reference: expect.any(String) as unknown };

/** The charge as it is written before its card is sent. */
async function prepared(network: CardNetwork, charge: Charge): Promise<Charge> {
  const named = await network.prepare?.(charge);
  if (named === undefined) return charge;
  expect(named).toMatchObject({ outcome: "prepared" });
  return named.outcome === "prepared" ? { ...charge, reference: named.reference } : charge;
}

/** What becomes of a charge: a network may say it only once it is asked again. */
async function charged(
  network: CardNetwork,
  charge: Charge,
  card: CardInput,
): Promise<LookUpOutcome> {
  const answer = await network.charge(charge, card);
  if (answer.outcome !== "processing") return answer;
  return await network.lookUp({ ...charge, reference: answer.reference ?? charge.reference });
}

/** A charge that was approved, with the network's name for it. */
async function approvedCharge(network: CardNetwork): Promise<Charge> {
  const charge = await prepared(network, chargeWith());
  const outcome = await charged(network, charge, good);
  expect(outcome).toEqual(approved);
  return { ...charge, reference: (outcome as { reference: string }).reference };
}

/** What holds for each network, one that decides in the process and forgets at once included. */
export function decidesAsPromised(open: OpenNetwork): void {
  describe("a card", () => {
    test("has a country of two letters", async () => {
      expect((await open()).countryOf(good)).toMatch(/^[A-Z]{2}$/);
    });

    test("that is good is approved", async () => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      expect(await charged(network, charge, good)).toEqual(approved);
    });

    test.each([
      ["generic_decline", bad],
      ["insufficient_funds", poor],
    ])("is declined with %s", async (code, card) => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      expect(await charged(network, charge, card)).toMatchObject({ outcome: "declined", code });
    });
  });

  test("what was taken is given back by a cancel, also by a second one", async () => {
    const network = await open();
    const charge = await approvedCharge(network);
    expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
    expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
  });

  test("a refund is made once, however often it is asked for", async () => {
    const network = await open();
    const charge = await approvedCharge(network);
    const first = await network.refund(charge);
    expect(first).toEqual({ outcome: "refunded", reference: expect.any(String) as unknown });
    expect(await network.refund(charge)).toEqual(first);
  });
}

/** What holds beyond that for a network that moves money. */
export function keepsBooksAsPromised(open: OpenNetwork): void {
  describe("a charge", () => {
    test("that never got there is unseen", async () => {
      expect(await (await open()).lookUp(chargeWith())).toEqual({ outcome: "not_found" });
    });

    test("that was approved is so when it is looked up", async () => {
      const network = await open();
      const charge = await approvedCharge(network);
      const { reference } = charge;
      expect(await network.lookUp(charge)).toEqual({ outcome: "approved", reference });
    });

    test("that was declined is so when it is looked up", async () => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      const outcome = await charged(network, charge, poor);
      expect(await network.lookUp(charge)).toEqual(outcome);
    });

    test("is made once for an id, whatever card comes after", async () => {
      const network = await open();
      const charge = await approvedCharge(network);
      const first = { outcome: "approved", reference: charge.reference };
      expect(await network.charge(charge, good)).toEqual(first);
      for (const other of [cardWith({ number: "5555555555554444" }), bad]) {
        const { outcome } = await network.charge(charge, other);
        expect(["approved", "unknown"]).toContain(outcome); // of the first, or of none
        expect(await network.lookUp(charge)).toEqual(first);
      }
    });

    test("that was declined is not made with a better card", async () => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      const declined = await charged(network, charge, poor);
      const { outcome } = await network.charge(charge, good);
      expect(["declined", "unknown"]).toContain(outcome);
      expect(await network.lookUp(charge)).toEqual(declined);
    });

    test("is made once where it is asked for several times at once", async () => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      const asked = [1, 2, 3, 4, 5].map(async () => network.charge(charge, good));
      const answers = await Promise.all(asked);
      const outcome = await network.lookUp(charge);
      expect(outcome).toEqual(approved);
      const decided = answers.filter((answer) => !/processing|unknown/.test(answer.outcome));
      for (const answer of decided) expect(answer).toEqual(outcome);
    });
  });

  describe("a canceled charge", () => {
    test("is canceled when it is looked up, and is not made again", async () => {
      const network = await open();
      const charge = await approvedCharge(network);
      await network.cancel(charge);
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
      expect((await network.charge(charge, good)).outcome).not.toBe("approved");
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
    });

    test("that comes after its cancel takes no money", async () => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
      expect((await network.charge(charge, good)).outcome).not.toBe("approved");
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
    });

    test("may be one that was declined", async () => {
      const network = await open();
      const charge = await prepared(network, chargeWith());
      await charged(network, charge, bad);
      expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
    });
  });

  test("nothing is refunded where nothing was taken", async () => {
    const network = await open();
    const charge = await prepared(network, chargeWith());
    await charged(network, charge, bad);
    expect((await network.refund(charge)).outcome).not.toBe("refunded");
  });
}
