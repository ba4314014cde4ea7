import { expect, test } from "vitest";
import { measureShipped } from "../../../testkit/command/built-commands.ts";
import { assets } from "../../../../src/service/web/dashboard/frame.ts";
import { listDashboardPages, listOuterPages } from "../../../testkit/pages/dashboard-pages.ts";

const maxBytes = 60 * 1024;
const style = assets.find(({ name }) => name.endsWith(".css"))!;

test("with its style each page is at most 60 KiB, its list as long as it gets", () => {
  const pages = [...listDashboardPages("full", "live"), ...listOuterPages("full")];
  const sizes = pages.map(([name, document]) => [name, measureShipped(document + style.content)]);
  expect(sizes.filter(([, bytes]) => Number(bytes) > maxBytes)).toEqual([]);
});

test("no page has a style of its own, by which the policy would hide it", () => {
  const pages = [...listDashboardPages("usual", "live"), ...listOuterPages("usual")];
  const styled = pages.filter(([, document]) => /<[^>]+\sstyle="|<style/.test(document));
  expect(styled.map(([name]) => name)).toEqual([]);
});
