import { describe, expect, test } from "vitest";
import type { CardInput } from "../../../src/contract/payment.ts";
import type {
  CardNetwork,
  Charge,
  LookUpOutcome,
} from "../../../src/service/networks/card-network.ts";
import { cardWith, chargeWith } from "./fake-network.ts";

// The promises of every card network, as one suite that each network runs.

export type OpenNetwork = () => CardNetwork | Promise<CardNetwork>;

const good = cardWith();
const bad = cardWith({ number: "4000000000000002" });
const poor = cardWith({ number: "4000000000009995" });
const approved = { outcome: "approved", reference: expect.any(String) as unknown };

/** Prepares a charge, as the service does before it sends the card. */
async function prepareCharge(network: CardNetwork, charge: Charge): Promise<Charge> {
  const named = await network.prepare?.(charge);
  if (named === undefined) return charge;
  expect(named).toMatchObject({ outcome: "prepared" });
  return named.outcome === "prepared" ? { ...charge, reference: named.reference } : charge;
}

/** Charges a card; a network may know the outcome only at a look-up. */
async function chargeToEnd(
  network: CardNetwork,
  charge: Charge,
  card: CardInput,
): Promise<LookUpOutcome> {
  const answer = await network.charge(charge, card);
  if (answer.outcome !== "processing") return answer;
  return await network.lookUp({ ...charge, reference: answer.reference ?? charge.reference });
}

/** Makes an approved charge, with the network's reference. */
async function makeApprovedCharge(network: CardNetwork): Promise<Charge> {
  const charge = await prepareCharge(network, chargeWith());
  const outcome = await chargeToEnd(network, charge, good);
  expect(outcome).toEqual(approved);
  return { ...charge, reference: (outcome as { reference: string }).reference };
}

/** The promises of each network, including one that decides in this process and stores nothing. */
export function testDecisions(open: OpenNetwork): void {
  describe("a card", () => {
    test("has a country of two letters", async () => {
      expect((await open()).countryOf(good)).toMatch(/^[A-Z]{2}$/);
    });

    test("that is good is approved", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      expect(await chargeToEnd(network, charge, good)).toEqual(approved);
    });

    test.each([
      ["generic_decline", bad],
      ["insufficient_funds", poor],
    ])("is declined with %s", async (code, card) => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      expect(await chargeToEnd(network, charge, card)).toMatchObject({ outcome: "declined", code });
    });
  });

  test("an approved charge is canceled, also by a second cancel", async () => {
    const network = await open();
    const charge = await makeApprovedCharge(network);
    expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
    expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
  });

  test("a refund is made once, however often it is requested", async () => {
    const network = await open();
    const charge = await makeApprovedCharge(network);
    const first = await network.refund(charge);
    expect(first).toEqual({ outcome: "refunded", reference: expect.any(String) as unknown });
    expect(await network.refund(charge)).toEqual(first);
  });
}

/** The further promises of a network that moves money. */
export function testStoredCharges(open: OpenNetwork): void {
  describe("a charge", () => {
    test("that never arrived is not found", async () => {
      expect(await (await open()).lookUp(chargeWith())).toEqual({ outcome: "not_found" });
    });

    test("that was approved is looked up as approved", async () => {
      const network = await open();
      const charge = await makeApprovedCharge(network);
      const { reference } = charge;
      expect(await network.lookUp(charge)).toEqual({ outcome: "approved", reference });
    });

    test("that was declined is looked up as declined", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      const outcome = await chargeToEnd(network, charge, poor);
      expect(await network.lookUp(charge)).toEqual(outcome);
    });

    test("is made once for an id, also where another card follows", async () => {
      const network = await open();
      const charge = await makeApprovedCharge(network);
      const first = { outcome: "approved", reference: charge.reference };
      expect(await network.charge(charge, good)).toEqual(first);
      for (const other of [cardWith({ number: "5555555555554444" }), bad]) {
        const { outcome } = await network.charge(charge, other);
        expect(["approved", "unknown"]).toContain(outcome); // of the first, or of none
        expect(await network.lookUp(charge)).toEqual(first);
      }
    });

    test("that was declined is not approved with another card", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      const declined = await chargeToEnd(network, charge, poor);
      const { outcome } = await network.charge(charge, good);
      expect(["declined", "unknown"]).toContain(outcome);
      expect(await network.lookUp(charge)).toEqual(declined);
    });

    test("is made once for concurrent requests", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      const calls = [1, 2, 3, 4, 5].map(async () => network.charge(charge, good));
      const answers = await Promise.all(calls);
      const outcome = await network.lookUp(charge);
      expect(outcome).toEqual(approved);
      const decided = answers.filter((answer) => !/processing|unknown/.test(answer.outcome));
      for (const answer of decided) expect(answer).toEqual(outcome);
    });
  });

  describe("a canceled charge", () => {
    test("is looked up as canceled, and is not made again", async () => {
      const network = await open();
      const charge = await makeApprovedCharge(network);
      await network.cancel(charge);
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
      expect((await network.charge(charge, good)).outcome).not.toBe("approved");
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
    });

    test("that arrives after its cancel is not approved", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
      expect((await network.charge(charge, good)).outcome).not.toBe("approved");
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
    });

    test("may be one that was declined", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      await chargeToEnd(network, charge, bad);
      expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
    });
  });

  test("a declined charge is not refunded", async () => {
    const network = await open();
    const charge = await prepareCharge(network, chargeWith());
    await chargeToEnd(network, charge, bad);
    expect((await network.refund(charge)).outcome).not.toBe("refunded");
  });
}

/** A customer's decision on a bank's page; it returns the address to which the bank sends the browser back. */
export type DecideAtBank = (url: string, isApproved: boolean) => Promise<string | null>;

/** The promises of a network whose bank asks the customer (3-D Secure). */
export function testChallenges(open: OpenNetwork, decideAtBank: DecideAtBank): void {
  const asked = cardWith({ number: "4000002760003184" });
  const returnUrl = "https://payments.invalid/pay/token/return";

  async function beginChallenge(network: CardNetwork) {
    const charge = await prepareCharge(network, chargeWith({ returnUrl }));
    const first = await chargeToEnd(network, charge, asked);
    if (first.outcome !== "action" || first.url === null) throw new Error("No challenge began.");
    return { charge: { ...charge, reference: first.reference }, first, url: first.url };
  }

  describe("a challenge", () => {
    test("is looked up as it began, until the customer is done", async () => {
      const network = await open();
      const { charge, first } = await beginChallenge(network);
      expect(await network.lookUp(charge)).toEqual(first);
    });

    test("that the customer approves takes the money, and sends the browser back", async () => {
      const network = await open();
      const { charge, url } = await beginChallenge(network);
      expect(await decideAtBank(url, true)).toBe(returnUrl);
      expect(await network.lookUp(charge)).toEqual(approved);
    });

    test("that the customer declines fails with authentication_required", async () => {
      const network = await open();
      const { charge, url } = await beginChallenge(network);
      expect(await decideAtBank(url, false)).toBe(returnUrl);
      const code = "authentication_required";
      expect(await network.lookUp(charge)).toEqual({ outcome: "declined", code });
    });

    test("is decided by the customer's first answer", async () => {
      const network = await open();
      const { charge, url } = await beginChallenge(network);
      await decideAtBank(url, false);
      await decideAtBank(url, true);
      expect(await network.lookUp(charge)).toMatchObject({ outcome: "declined" });
    });

    test("that is canceled takes no money, whatever the customer does then", async () => {
      const network = await open();
      const { charge, url } = await beginChallenge(network);
      expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
      await decideAtBank(url, true);
      expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
    });

    test("does not begin where there is nobody to ask", async () => {
      const network = await open();
      const charge = await prepareCharge(network, chargeWith());
      const code = "authentication_required";
      expect(await chargeToEnd(network, charge, asked)).toEqual({ outcome: "declined", code });
    });
  });
}
