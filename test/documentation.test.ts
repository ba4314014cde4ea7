import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { routes } from "../src/contract/routes.ts";
import { root } from "./testkit/command/built-commands.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root });
const readme = read("README.md");

/** A link of a page to a file of the project: the file, from the root, and the part after `#`. */
type Link = { page: string; path: string; anchor: string };

const links = pages.flatMap((page): Link[] => {
  const text = read(page).replaceAll(/^```.*?^```/gms, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)];
  return targets
    .map(([, link, source]) => link ?? source ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor = ""] = target.split("#");
      const path = file === "" ? page : relative(root, join(root, dirname(page), file));
      return { page, path, anchor };
    });
});

/** The anchors of a page's headings, as GitHub makes them. */
function listAnchors(path: string): string[] {
  const text = read(path).replaceAll(/^```.*?^```/gms, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("every link of a page leads to a file, and to a heading that is there", () => {
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(
    ({ path, anchor }) =>
      !existsSync(join(root, path)) ||
      (anchor !== "" && path.endsWith(".md") && !listAnchors(path).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

test("the package has every file to which its pages lead", () => {
  const packaged = ["README.md", "LICENSE", "package.json", ...manifest.files];
  const isPackaged = (path: string) =>
    packaged.some((entry) => path === entry || path.startsWith(`${entry}/`));
  const missing = links.filter(({ page, path }) => isPackaged(page) && !isPackaged(path));
  expect(missing).toEqual([]);
});

test("every test that SECURITY.md names is there", () => {
  const named = [...read("SECURITY.md").matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !statSync(join(root, path)).isFile())).toEqual([]);
});

test("docs/endpoints.md has a row of every endpoint of the API", () => {
  const page = read("docs/endpoints.md").replaceAll(/\{(\w+)\}/g, ":$1");
  const endpoints = Object.values(routes).map(({ method, path }) => `\`${method} ${path}\``);
  expect(endpoints.filter((endpoint) => !page.includes(endpoint))).toEqual([]);
});

test("the README has at most 250 lines, and its two commands do all the set-up", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(250);
  const commands = [
    "npm ci && npx payments create --amount 4999 --currency eur --test-card visa",
    "npm ci && npm test",
  ];
  for (const command of commands) expect(readme).toContain(`\n\`\`\`sh\n${command}\n\`\`\`\n`);
});
