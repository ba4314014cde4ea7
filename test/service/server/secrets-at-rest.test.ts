import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { hashKey } from "../../../src/service/accounts/authenticate.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import {
  bodyWith,
  cardWith,
  openPage,
  openTestService,
} from "../../testkit/service/open-test-service.ts";

const number = "4012888888881881";
const cvc = "7391";

test("no card number, security code or key is ever in the database's files", async () => {
  const { file, store } = await openFile();
  const { service, pay, settle, test: scope, live } = await openTestService({ store });
  const { key } = await service.createKey({ mode: "live", name: "shop" });
  const adopted = `svc_test_sk_${"a".repeat(43)}`;
  await service.adoptKey(adopted, { mode: "test", name: "embedded" });
  const url = "https://shop.example/hooks";
  for (const of of [scope, live]) await service.createEndpoint(of, { url });
  const body = bodyWith({ card: cardWith({ number, cvc }) });
  await pay(scope, body, { key: "k", fingerprint: "f" });
  await settle();
  const { id } = await pay(live, body, { key: "k", fingerprint: "f" });
  await service.refundPayment(live, id, { key: "l", fingerprint: "f" });
  for (const of of [scope, live]) {
    const { token } = await openPage({ service }, of);
    await service.payPage(token, { number, expiry: "12/30", cvc, name: "A. Lovelace" });
  }
  await settle();

  const whileOpen = readAllFiles(file);
  await store.close();
  for (const content of [whileOpen, readAllFiles(file)]) {
    expect(content).toContain(id);
    expect(content).toContain(hashKey(key));
    expect(content).toContain("payment.refunded"); // with events and their deliveries
    for (const secret of [number, number.slice(0, 6), key, key.slice(12), adopted])
      expect(content).not.toContain(secret);
    // Four digits may stand in an id or in a hash by chance.
    expect(content.replaceAll(/[0-9a-f-]{32,}/g, "")).not.toContain(cvc);
  }
});

/** The content of all files in the database's folder, including the write-ahead log. */
function readAllFiles(file: string): string {
  const files = globSync("*", { cwd: dirname(file) });
  return files.map((name) => readFileSync(`${dirname(file)}/${name}`, "latin1")).join("\n");
}
