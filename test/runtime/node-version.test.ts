import { afterEach, expect, test, vi } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { explainOldNode, loadPart } from "../../src/runtime/child-programs.ts";

const loads = async () => "part";
const fails = async () => Promise.reject(new Error("createZstdDecompress is undefined"));
const reason = /^payments needs Node 24\.15 or newer, and this is Node \d/;

function pretendToBe(node: string): void {
  vi.spyOn(process, "versions", "get").mockReturnValue({ ...process.versions, node });
}
afterEach(() => {
  vi.restoreAllMocks();
});

test("the Node that is needed is the one of package.json", () => {
  const oldest = packageJson.engines.node.replace(">=", "");
  expect(explainOldNode(`${oldest}.0`)).toBeUndefined();
  expect(explainOldNode("25.0.0")).toBeUndefined();
  expect(explainOldNode("24.14.9", "/bin/node")).toBe(
    `payments needs Node ${oldest} or newer, and this is Node 24.14.9, /bin/node.`,
  );
});

test("a part that this Node cannot load says which Node is needed", async () => {
  for (const node of ["22.20.0", "24.14.0"]) {
    pretendToBe(node);
    await expect(loadPart(fails)).rejects.toThrow(reason);
    expect(await loadPart(loads)).toBe("part");
  }
});

test("a Node older than undici can bear loads nothing: the import alone would end it", async () => {
  pretendToBe("20.20.2");
  await expect(loadPart(loads)).rejects.toThrow(reason);
});

test("a part that fails on a Node that is new enough fails with its own error", async () => {
  await expect(loadPart(fails)).rejects.toThrow("createZstdDecompress is undefined");
});
