import { reportFailure, reportOk, reportWarning, type Check } from "../../contract/doctor.ts";
import { askReadiness } from "../config/ask-readiness.ts";
import type { Environment } from "../config/directories.ts";
import { resolveServedUrl } from "../config/health-address.ts";
import { toCheck } from "./find-target.ts";

/** Whether a service runs that `payments serve` started on this machine with the same variables. */
export async function checkServed(env: Environment): Promise<Check> {
  let url: string;
  try {
    url = resolveServedUrl(env);
  } catch (error) {
    return toCheck(error);
  }
  const found = await askReadiness(url);
  if (found.state === "ready") return reportOk("service", `A service is ready at ${url}.`);
  if (found.state === "elsewhere") {
    const detail = `A service answers at ${url}, with its probes elsewhere: ${found.message}`;
    return reportOk("service", detail);
  }
  if (found.state === "unready") {
    const detail = `The service at ${url} is not ready: ${found.reason}.`;
    return reportFailure("ready", detail, `payments health ${url}`);
  }
  if (found.state === "other") {
    const detail = `What answers at ${url} is not the payments service (HTTP ${found.status}).`;
    return reportWarning("service", detail, "payments serve --port PORT");
  }
  const detail = `No service answers at ${url}: ${found.reason}. Until one runs, customers cannot pay, and webhooks wait.`;
  return reportWarning("service", detail, "payments serve");
}
