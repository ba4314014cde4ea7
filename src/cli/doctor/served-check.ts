import { reportFailure, reportOk, reportWarning, type Check } from "../../contract/doctor-check.ts";
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
  switch (found.state) {
    case "ready":
      return reportOk("service", `A service is ready at ${url}.`);
    case "unready":
      return reportFailure(
        "ready",
        `The service at ${url} is not ready: ${found.reason}.`,
        `payments health ${url}`,
      );
    case "elsewhere":
      return reportOk(
        "service",
        `A service answers at ${url}, with its probes elsewhere: ${found.message}`,
      );
    case "unreachable":
      return reportWarning(
        "service",
        `No service answers at ${url}: ${found.reason}. Until one runs, customers cannot pay, and webhooks wait.`,
        "payments serve",
      );
    case "other":
      return reportWarning(
        "service",
        `What answers at ${url} is not the payments service (HTTP ${found.status}).`,
        "payments serve --port PORT",
      );
  }
}
