import { expect, onTestFinished, test } from "vitest";
import { maxDeliveryMs, webhookSchedule } from "../../../src/service/domain/delivery-schedule.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { openStore } from "../../../src/service/store/store.ts";
import type { Scope } from "../../../src/service/ports/idempotency-record.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";
import { losingDriver } from "../../testkit/database/losing-driver.ts";
import { newAccount } from "../../testkit/database/new-account.ts";
import { openTestService } from "../../testkit/service/open-test-service.ts";

test.each([0, 1])(
  "the events of an account are forgotten while another one's machine is lost",
  async (lost) => {
    const accounts = [newAccount(), newAccount()] as const;
    const scopes = accounts.map(({ account }): Scope => ({
      accountId: account.id,
      livemode: false,
    }));
    let lostId: string | undefined;
    const driver = losingDriver(
      await openDriver(await newDatabase()),
      ({ params }) => lostId !== undefined && params.includes(lostId),
    );
    const store = await openStore(driver, accounts[0]);
    onTestFinished(async () => store.close());
    await store.insertAccount(accounts[1]);
    const { service, pay, time } = await openTestService({ store });
    const eventIds = await Promise.all(
      scopes.map(async (scope) => {
        const { id } = await pay(scope);
        await service.refundPayment(scope, id);
        return id.replace("pay_", "evt_");
      }),
    );
    const areKept = async () => {
      const found = scopes.map(async (scope, at) => store.findEvent(scope, eventIds[at] ?? ""));
      return (await Promise.all(found)).map((event) => event !== undefined);
    };
    time.nowMs += maxDeliveryMs(webhookSchedule);
    await service.countTotals(); // an event is not purged before it is counted
    await service.purgeEvents();
    expect(await areKept()).toEqual([true, true]); // a webhook may be on its way
    await expect(service.getEvent(scopes[0]!, eventIds[0]!)).rejects.toThrow("no event");
    time.nowMs += 120_000;
    lostId = scopes[lost]?.accountId;
    await service.purgeEvents();
    lostId = undefined;
    expect(await areKept()).toEqual([lost === 0, lost === 1]);
    await service.purgeEvents();
    expect(await areKept()).toEqual([false, false]);
  },
);
