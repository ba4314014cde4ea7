import { describe, expect, test } from "vitest";
import { cardWith, chargeWith } from "../../testkit/network/charge-with.ts";
import { decidesAsPromised, keepsBooksAsPromised } from "../../testkit/network/promises.ts";
import {
  declined,
  fakeNetwork,
  late,
  lost,
  processing,
  unknown,
  unreached,
} from "../../testkit/network/fake-network.ts";

describe("the network that stands in for one that moves money", () => {
  decidesAsPromised(() => fakeNetwork().admittedTo);
  keepsBooksAsPromised(() => fakeNetwork().admittedTo);

  test("does what its answer is lost of, and nothing where it was not reached", async () => {
    const { admittedTo: network, steps, taken } = fakeNetwork();
    steps.charge.push(unreached, lost);
    const charge = chargeWith();
    expect(await network.charge(charge, cardWith())).toEqual(unknown);
    expect(await network.lookUp(charge)).toEqual({ outcome: "not_found" });
    expect(await network.charge(charge, cardWith())).toEqual(unknown);
    expect(taken()).toEqual([charge.id]);
  });

  test("has done already what its answer is late of", async () => {
    const { admittedTo: network, steps, taken } = fakeNetwork();
    const gate = Promise.withResolvers<void>();
    steps.charge.push(late(gate.promise));
    const charge = chargeWith();
    const answer = network.charge(charge, cardWith());
    await expect.poll(taken).toEqual([charge.id]);
    gate.resolve();
    expect(await answer).toMatchObject({ outcome: "approved" });
  });

  test("comes to what a test says, as long as its books leave that open", async () => {
    const { admittedTo: network, steps, taken } = fakeNetwork();
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
    expect(taken()).toEqual([charge.id]);
    expect(await network.refund(charge)).toMatchObject({ outcome: "refunded" });
    expect(taken()).toEqual([]);
  });
});
