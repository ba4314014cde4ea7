import { type ClockMode, type SigningTime, sandboxKeys } from "../../contract/field-values.ts";
import type { SandboxRequest } from "../../contract/sandbox.ts";

/** A sandbox as the user wants it, for another process too: it gets this as JSON. */
export type WantedSandbox = {
  host: string;
  port: number;
  clock: ClockMode;
  seed: string | undefined;
  signAt: SigningTime;
  publicUrl: string | undefined;
  database: string;
  /** Paths. */
  fixtures: readonly string[];
  vars: [key: string, value: string][];
};

export const inMemory = "sqlite::memory:";

/** Starts the sandbox in this process, with its fixtures. Errors: a fixture is wrong, or a step fails. */
export async function openSandbox(
  { fixtures, vars, ...settings }: WantedSandbox,
  version: string,
  onRequest?: (request: SandboxRequest) => void,
) {
  const prepare = await prepareFixtures(fixtures, new Map(vars));
  const { serveSandbox } = await import("../../service/server/serve-sandbox.ts");
  return await serveSandbox({ ...settings, version, prepare, onRequest });
}

/** The variables by which a program reaches a sandbox. */
export function describeSandbox(url: string, account: string): Record<string, string> {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: sandboxKeys.test,
    PAYMENTS_MODE: "test",
    PAYMENTS_SANDBOX_LIVE_KEY: sandboxKeys.live,
    PAYMENTS_SANDBOX_ACCOUNT: account,
  };
}

/** Checks the fixtures; the returned function makes them in a sandbox that has just begun. */
async function prepareFixtures(
  paths: readonly string[],
  vars: Map<string, string>,
): Promise<((url: string) => Promise<void>) | undefined> {
  if (paths.length === 0) return undefined;
  const { loadFixtures } = await import("../fixtures/read-fixtures.ts");
  const { runFixtures } = await import("../fixtures/run-fixtures.ts");
  const { PaymentsClient } = await import("../../client/client.ts");
  // A sandbox begins empty, so that the same name serves each run: what is made repeats with the seed.
  const run = "sandbox";
  const steps = await loadFixtures(paths, { vars, run });
  return async (url) => {
    // Everyone knows the key: on --host of this network it may go over plain http.
    const client = new PaymentsClient({ baseUrl: url, apiKey: sandboxKeys.test, allowHttp: true });
    try {
      await runFixtures(client, steps, { run, onDone: () => {} });
    } finally {
      await client.close();
    }
  };
}
