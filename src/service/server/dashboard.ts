import { BlockList } from "node:net";
import type { Pages } from "../http/pages.ts";
import type { Service } from "../use-cases/service.ts";
import type { ServeSettings } from "./serve-settings.ts";

/** The dashboard, where it is wanted: nobody else loads it. */
export async function loadDashboard(
  service: Service,
  publicUrl: () => string,
  settings: ServeSettings["dashboard"],
): Promise<Pages | undefined> {
  if (!settings) return undefined;
  const { createDashboard } = await import("../web/dashboard/dashboard.ts");
  return createDashboard(service, {
    publicUrl,
    trustedProxies: settings.trustedProxies ?? new BlockList(),
  });
}
