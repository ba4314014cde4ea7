import { useContext } from "../../../src/cli/config/contexts.ts";
import { storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import { accountWith, paymentWith } from "../api-objects.ts";
import { json, scriptedServer } from "../client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../temporary.ts";
import { keyringOfHome } from "./keyrings.ts";

/** The keys of the two contexts. */
export const placeKeys = {
  production: { test: someKeys.test, live: someKeys.live },
  staging: { test: someKeys.test.replace("0123", "9999") },
} as const;

/** A service that has what any command asks for, in the key's mode. `before` runs at its first read. */
async function openService(before?: () => void) {
  let isRead = false;
  return await scriptedServer((response, { method, path, headers }) => {
    if (method === "GET" && !isRead) {
      isRead = true;
      before?.();
    }
    const livemode = headers.authorization?.includes("_live_") ?? false;
    const status = method === "POST" && path.endsWith("refund") ? "refunded" : "succeeded";
    const isAccount = path === "/v1/account";
    const object = isAccount ? accountWith({ livemode }) : paymentWith({ livemode, status });
    json(200, object)(response, { method, path, headers, body: "" });
  });
}

/** A home with `production`, in live mode and with both keys, and `staging`, in test mode and with a test key. */
export async function openPlaces({
  inUse = "staging",
  before,
}: { inUse?: string; before?: () => void } = {}) {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  const servers = { production: await openService(before), staging: await openService() };
  const place = (context: string) => ({ ...directories, context });
  for (const mode of ["test", "live"] as const) {
    const login = {
      baseUrl: servers.production.url,
      key: placeKeys.production[mode],
      account: "acct_1",
    };
    storeLogin(place("production"), mode, login, keyringOfHome);
  }
  const login = { baseUrl: servers.staging.url, key: placeKeys.staging.test, account: "acct_1" };
  storeLogin(place("staging"), "test", login, keyringOfHome);
  storeMode(place("production"), "live");
  useContext(directories, inUse);
  const listSent = () =>
    Object.entries(servers).flatMap(([name, { requests }]) =>
      requests.map(({ method, headers }) => `${method} ${name} ${String(headers.authorization)}`),
    );
  return { home, directories, servers, place, listSent };
}

export type Places = Awaited<ReturnType<typeof openPlaces>>;

/** A payment, to be made in the wrong place. */
export const pay = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];
