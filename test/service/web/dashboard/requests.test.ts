import { expect, test } from "vitest";
import { bodyWith } from "../../../testkit/api-objects.ts";
import { openDashboard, textOf } from "../../../testkit/pages/open-dashboard.ts";

async function openWithRequests() {
  const opened = await openDashboard();
  const { call, service } = opened;
  const headers = { "idempotency-key": "order-1" };
  const made = await call({ method: "POST", body: bodyWith({}), headers });
  const { id: payment } = JSON.parse(made.text) as { id: string };
  const missing = await call({ path: `/v1/payments/${payment}/nothing` });
  const refused = await call({ path: `/v1/payments/${payment}?expand=1` });
  await service.flushRequests();
  const idOf = ({ headers: { "service-request-id": id = "" } }: typeof made) => id;
  return {
    ...opened,
    payment,
    ids: { made: idOf(made), missing: idOf(missing), refused: idOf(refused) },
  };
}

test("the page of requests lists them newest first, filtered by its address", async () => {
  const { signIn, at, ids, payment } = await openWithRequests();
  const { get } = await signIn("support");
  const listed = async (query = "") => {
    const { text } = await get(`${at("/requests")}${query}`);
    return [...text.matchAll(/requests\/(req_[0-9a-f-]+)"/g)].map(([, id]) => id);
  };
  expect(await listed()).toEqual([ids.refused, ids.missing, ids.made]);
  expect(await listed("?status=404")).toEqual([ids.missing]);
  expect(await listed("?status=4xx,5xx")).toEqual([ids.refused, ids.missing]);
  expect(await listed(`?payment=${payment}`)).toEqual([ids.refused, ids.made]);
  expect(await listed("?idempotency_key=order-1")).toEqual([ids.made]);
  expect(await listed("?method=GET&from=2020-01-01&to=2020-01-02")).toEqual([]);
  expect(await listed(`?starting_after=${ids.missing}`)).toEqual([ids.made]);
});

test("the filters of requests are shown in words, kept by the form, and removed one by one", async () => {
  const { signIn, at } = await openWithRequests();
  const { get } = await signIn();
  const page = await get(`${at("/requests")}?status=404,409&method=GET&from=2026-11-01`);
  expect(textOf(page)).toMatch(
    /Status : 404,409 × .*Method : GET × .*From \(UTC\) : 1 Nov 2026 × .*Clear all/,
  );
  expect(page.text).toMatch(/<option value="404,409"\s+selected/);
  expect(page.text).toContain(`href="${at("/requests")}?status=404%2C409&amp;from=2026-11-01"`);
  expect(textOf(await get(`${at("/requests")}?status=4xx,5xx`))).toContain(
    "Status : All failed (4xx, 5xx)",
  );
});

test("a wrong filter is refused beside its field, and a card number is not repeated", async () => {
  const { signIn, at } = await openWithRequests();
  const { get } = await signIn();
  const wrong = await get(`${at("/requests")}?status=x&from=x`);
  expect(wrong.status).toBe(400);
  expect(textOf(wrong)).toContain("Enter a status such as 404, or classes such as 4xx,5xx.");
  expect(textOf(wrong)).toContain("Enter a date, such as 2026-11-30.");
  const swapped = await get(`${at("/requests")}?from=2026-11-02&to=2026-11-01`);
  expect([swapped.status, textOf(swapped)]).toEqual([
    400,
    expect.stringContaining("Choose a day that is not before the first one."),
  ]);
  const card = await get(`${at("/requests")}?payment=4242424242424242`);
  expect(card.status).toBe(400);
  expect(card.text).not.toContain("4242");
});

test("a request has a page, and a payment's page has its requests, for those who may see them", async () => {
  const { signIn, at, ids, payment } = await openWithRequests();
  const { get } = await signIn("support");
  const answer = await get(at(`/requests/${ids.refused}`));
  const page = textOf(answer);
  const path = /<dt>Path<\/dt>\s*<dd>(.*?)<\/dd>/s.exec(answer.text)?.[1];
  expect(path?.replaceAll(/<[^>]*>/g, "")).toBe(`/v1/payments/${payment}`);
  for (const fact of ["400", "parameter_unknown", "does not exist", "expand", payment, "GET"])
    expect(page).toContain(fact);
  expect((await get(at("/requests/req_none"))).status).toBe(404);
  expect((await get(at(`/payments/${payment}`))).text).toContain(at(`/requests/${ids.made}`));
  const viewer = await signIn("viewer");
  expect((await viewer.get(at(`/payments/${payment}`))).text).not.toContain("/requests");
});
