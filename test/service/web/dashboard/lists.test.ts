import { describe, expect, test } from "vitest";
import { command, openDashboard, pageLinkOf } from "../../../testkit/pages/open-dashboard.ts";

type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

/** Each list: its page size, a function that fills it and returns its path, and a pattern of its items. */
const lists: [string, number, (opened: Dashboard, count: number) => Promise<string>, RegExp][] = [
  [
    "payments",
    25,
    async ({ pay }, count) => {
      for (let index = 0; index < count; index++) await pay();
      return "/payments";
    },
    /href="[^"]*\/payments\/(pay_[^"]+)"/g,
  ],
  [
    "deliveries",
    25,
    async ({ createEndpoint, pay }, count) => {
      const { id } = await createEndpoint();
      for (let index = 0; index < count; index++) await pay();
      return `/webhooks/${id}`;
    },
    /name="event"\s+value="([^"]+)"/g,
  ],
  [
    "activity",
    50,
    async ({ service, accountId }, count) => {
      for (let index = 1; index <= count; index++) {
        await service.renameAccount(accountId, `Name ${index}.`, command);
      }
      return "/activity";
    },
    /named the account\s+<bdi>(Name \d+\.)<\/bdi>/g,
  ],
];

function findItems(mark: RegExp, { text }: { text: string }): (string | undefined)[] {
  return [...text.matchAll(mark)].map(([, item]) => item);
}

describe.each(lists)("the list of %s", (_, size, fill, mark) => {
  test("is newest first, and pages forward and back", async () => {
    const opened = await openDashboard();
    const { get } = await opened.signIn();
    const path = opened.at(await fill(opened, 2 * size + 1));
    const first = await get(path);
    expect(pageLinkOf(first, "prev")).toBeUndefined();
    const second = await get(pageLinkOf(first, "next") ?? "");
    const third = await get(pageLinkOf(second, "next") ?? "");
    expect(pageLinkOf(third, "next")).toBeUndefined();
    const items = [first, second, third].flatMap((page) => findItems(mark, page));
    expect([first, second].map((page) => findItems(mark, page).length)).toEqual([size, size]);
    expect(new Set(items).size).toBe(2 * size + 1);
    const back = await get(pageLinkOf(third, "prev") ?? "");
    expect(findItems(mark, back)).toEqual(findItems(mark, second));
    expect(findItems(mark, await get(pageLinkOf(back, "prev") ?? ""))).toEqual(
      findItems(mark, first),
    );
  });

  test.each(["starting_after=nonsense", "ending_before=x", "starting_after=x&ending_before=x"])(
    "refuses an invalid cursor: %s",
    async (query) => {
      const opened = await openDashboard();
      const { get } = await opened.signIn();
      const path = opened.at(await fill(opened, 1));
      expect((await get(`${path}?${query}`)).status).toBe(400);
    },
  );
});
