import { documentedCode, startExample } from "../documented-example.ts";

const code = documentedCode("network-protocol.md", "js");

export const secret = "the adapter's secret";

/** Starts the adapter of docs/network-protocol.md in a process of its own, changed or as it is; returns its address. */
export async function startExampleAdapter(
  change: (code: string) => string = (unchanged) => unchanged,
): Promise<string> {
  const { url } = await startExample(change(code), { env: { PAYMENTS_NETWORK_SECRET: secret } });
  return url;
}

/** Builds a change that replaces a part of the example. */
export function replacePart(part: string, by: string): (code: string) => string {
  return (unchanged) => {
    if (!unchanged.includes(part)) throw new Error(`The example has no ${part}`);
    return unchanged.replace(part, by);
  };
}
