import { routes } from "../../../src/contract/routes.ts";
import { openApp, type Answer } from "./open-app.ts";

/** The app, and a request for a payment whose store fails with an error. */
export async function openAppThatMayFail(around: Parameters<typeof openApp>[0] = {}) {
  let failure: unknown;
  const opened = await openApp({
    ...around,
    store: (real) => ({
      ...real,
      findPayment: async (scope, id) => {
        if (failure !== undefined) throw failure;
        return real.findPayment(scope, id);
      },
    }),
  });
  async function failWith(error: unknown): Promise<Answer> {
    failure = error;
    return opened.call({ path: `${routes.createPayment.path}/pay_x` }).finally(() => {
      failure = undefined;
    });
  }
  return { ...opened, failWith };
}
