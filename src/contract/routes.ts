import { accountRoutes } from "./account.ts";
import { deliveryRoutes } from "./delivery.ts";
import { eventRoutes } from "./event.ts";
import { historyRoutes } from "./history.ts";
import { paymentListRoutes } from "./list-payments.ts";
import { listenerRoutes } from "./listener.ts";
import { requestRoutes } from "./logged-request.ts";
import { newPaymentRoutes, paymentRoutes } from "./payment.ts";
import type { Route } from "./route.ts";
import { endpointRoutes } from "./webhook-endpoint.ts";

/** Every endpoint of the API by its name, in the order of the API's description. */
export const routes = {
  ...newPaymentRoutes,
  ...paymentListRoutes,
  ...paymentRoutes,
  ...historyRoutes,
  ...accountRoutes,
  ...eventRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...listenerRoutes,
  ...requestRoutes,
} satisfies Record<string, Route>;
