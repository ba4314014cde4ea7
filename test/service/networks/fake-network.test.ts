import { describe, expect, test } from "vitest";
import { cardWith, chargeWith } from "../../testkit/network/charge-with.ts";
import { testDecisions, testStoredCharges } from "../../testkit/network/promises.ts";
import {
  declined,
  fakeNetwork,
  late,
  lost,
  processing,
  unknown,
  unreached,
} from "../../testkit/network/fake-network.ts";

describe("the fake network", () => {
  testDecisions(() => fakeNetwork().admittedTo);
  testStoredCharges(() => fakeNetwork().admittedTo);

  test("decides where the answer is lost, and not where the request never arrives", async () => {
    const { admittedTo: network, steps, listCharged } = fakeNetwork();
    steps.charge.push(unreached, lost);
    const charge = chargeWith();
    expect(await network.charge(charge, cardWith())).toEqual(unknown);
    expect(await network.lookUp(charge)).toEqual({ outcome: "not_found" });
    expect(await network.charge(charge, cardWith())).toEqual(unknown);
    expect(listCharged()).toEqual([charge.id]);
  });

  test("has decided before a late answer", async () => {
    const { admittedTo: network, steps, listCharged } = fakeNetwork();
    const gate = Promise.withResolvers<void>();
    steps.charge.push(late(gate.promise));
    const charge = chargeWith();
    const answer = network.charge(charge, cardWith());
    await expect.poll(listCharged).toEqual([charge.id]);
    gate.resolve();
    expect(await answer).toMatchObject({ outcome: "approved" });
  });

  test("decides as a test says, as long as its records leave that open", async () => {
    const { admittedTo: network, steps, listCharged } = fakeNetwork();
    const charge = chargeWith();
    steps.charge.push((decide) => decide(processing));
    steps.lookUp.push(
      (decide) => decide({ outcome: "approved", reference: "ch_1" }),
      (decide) => decide(declined),
    );
    steps.refund.push((decide) => decide(processing));
    expect(await network.charge(charge, cardWith())).toEqual(processing);
    for (const _ of [1, 2])
      expect(await network.lookUp(charge)).toMatchObject({ reference: "ch_1" });
    expect(await network.refund(charge)).toEqual(processing);
    expect(listCharged()).toEqual([charge.id]);
    expect(await network.refund(charge)).toMatchObject({ outcome: "refunded" });
    expect(listCharged()).toEqual([]);
  });
});
