import autocannon from "autocannon";

/** How many requests a second are answered with success; one that is not ends the run. */
export async function perSecond(
  url: string,
  request: autocannon.Request,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const result = await autocannon({ url, connections, duration: seconds, requests: [request] });
  if (result.non2xx > 0 || result.errors > 0) throw new Error("Some requests failed.");
  return result["2xx"] / result.duration;
}
