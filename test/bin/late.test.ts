import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { loadLate } from "../../bin/libraries/late.ts";
import { temporaryRoot } from "../testkit/temporary.ts";

const require = createRequire(import.meta.url);

/** A library of CommonJS files, as TypeScript compiles them. */
const compiled = `
const __importDefault = (mod) => (mod && mod.__esModule ? mod : { default: mod });
const __importStar = (mod) => (mod && mod.__esModule ? mod : { ...mod, default: mod });
`;

/**
 * Builds a program whose file `lib/index.cjs` loads its modules late, and runs it. Gives its exports, and the
 * modules that were loaded by then.
 */
async function run(
  files: Record<string, string>,
  { modules }: { modules?: string[] } = {},
): Promise<{
  exported: Record<string, unknown>;
  loaded: string[];
  late: string[];
  missing: string[];
}> {
  const folder = mkdtempSync(join(temporaryRoot, "late-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const from = /[/\\]lib[/\\]index\.c?js$/;
  const { plugin, late, missing } = loadLate([{ from, ...(modules && { modules }) }]);
  const outfile = join(folder, "built.cjs");
  await build({
    entryPoints: [join(folder, Object.keys(files)[0] ?? "")],
    outfile,
    bundle: true,
    platform: "node",
    plugins: [plugin],
    logLevel: "silent",
  });
  const loaded: string[] = [];
  Object.assign(globalThis, { loaded });
  const exported = require(outfile) as Record<string, unknown>;
  const names = [...late.values()].flatMap((each) => each.values().toArray());
  return { exported, loaded: [...loaded], late: names, missing: missing() };
}

/** The text of a module that records that it is loaded. */
const module = (name: string, text: string) => `globalThis.loaded.push("${name}");\n${text}`;

// The build itself loads modules in this process to learn their form.
Object.assign(globalThis, { loaded: [] });

describe("a module that is loaded late", () => {
  test("is loaded once, when it is first used", async () => {
    const { exported, loaded, late } = await run({
      "lib/index.cjs": `const a = require("./a.cjs"); const b = require("./b.cjs");
        exports.sum = () => a.one + a.one + b.two; exports.unused = () => require("./c.cjs");`,
      "lib/a.cjs": module("a", "exports.one = 1;"),
      "lib/b.cjs": module("b", "exports.two = 2;"),
      "lib/c.cjs": module("c", ""),
    });
    expect(loaded).toEqual([]);
    expect((exported["sum"] as () => number)()).toBe(4);
    expect((globalThis as unknown as { loaded: string[] }).loaded).toEqual(["a", "b"]);
    expect(late.toSorted()).toEqual(["./a.cjs", "./b.cjs", "./c.cjs"]);
  });

  test("is loaded when it is used, even if modules require each other", async () => {
    const { loaded, exported } = await run({
      "lib/index.cjs": `const a = require("./a.cjs"); const b = require("./b.cjs");
        exports.name = "index"; exports.order = () => [b.name, a.name, b.ofIndex()];`,
      "lib/a.cjs": module("a", `exports.name = "a";`),
      "lib/b.cjs": module(
        "b",
        `const index = require("./index.cjs"); exports.name = "b"; exports.ofIndex = () => index.name;`,
      ),
    });
    expect(loaded).toEqual([]);
    expect((exported["order"] as () => string[])()).toEqual(["b", "a", "index"]);
    expect((globalThis as unknown as { loaded: string[] }).loaded).toEqual(["b", "a"]);
  });

  test("is not loaded by a variable of the same name", async () => {
    const { exported, loaded } = await run({
      "lib/index.cjs": `const a = require("./a.cjs");
        exports.shadowed = ((a) => a.one)({ one: "argument" });
        exports.text = "a.one"; { const a = { one: "block" }; exports.block = a.one; }`,
      "lib/a.cjs": module("a", "exports.one = 1;"),
    });
    expect(exported).toMatchObject({ shadowed: "argument", text: "a.one", block: "block" });
    expect(loaded).toEqual([]);
  });

  test("can be re-exported by getters, by assignment, by its names, and whole", async () => {
    const { exported } = await run({
      "lib/index.cjs": `${compiled}
        var a_1 = require("./a.cjs");
        Object.defineProperty(exports, "one", { enumerable: true, get: function () { return a_1.one; } });
        exports.two = a_1.two; exports.whole = a_1; Object.assign(exports, require("./b.cjs"));
        for (const key in require("./c.cjs")) exports[key] = require("./c.cjs")[key];`,
      "lib/a.cjs": module("a", "exports.one = 1; exports.two = 2;"),
      "lib/b.cjs": module("b", "exports.three = 3;"),
      "lib/c.cjs": module("c", "exports.four = 4;"),
    });
    expect(exported).toMatchObject({ one: 1, two: 2, three: 3, four: 4 });
    expect({ ...(exported["whole"] as object) }).toEqual({ one: 1, two: 2 });
  });

  test("works with the default and namespace imports of compiled TypeScript", async () => {
    const { exported, loaded } = await run({
      "lib/index.cjs": `${compiled}
        const es_1 = __importDefault(require("./es.cjs"));
        const common_1 = __importDefault(require("./common.cjs"));
        const all = __importStar(require("./es.cjs"));
        exports.values = () => [es_1.default, common_1.default("x"), all.named];`,
      "lib/es.cjs": module(
        "es",
        `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "es"; exports.named = "named";`,
      ),
      "lib/common.cjs": module("common", "module.exports = (x) => `called with ${x}`;"),
    });
    expect(loaded).toEqual([]);
    expect((exported["values"] as () => unknown)()).toEqual(["es", "called with x", "named"]);
  });

  test("has its own type, and can be called, constructed, extended and inspected", async () => {
    const { exported } = await run({
      "lib/index.cjs": `const make = require("./make.cjs"); const Base = require("./base.cjs");
        const object = require("./object.cjs");
        exports.before = [typeof make, typeof Base, typeof object];
        class Derived extends Base { get name() { return "derived " + super.name; } }
        exports.called = make(1); exports.method = make.twice(2); exports.made = new Base() instanceof Base;
        exports.derived = new Derived().name; exports.own = new Derived() instanceof Base;
        exports.has = ["x" in object, "y" in object, Object.hasOwn(object, "x")];
        exports.prototype = Object.getPrototypeOf(object) === Object.prototype;`,
      "lib/make.cjs": module(
        "make",
        "module.exports = (x) => x + 1; module.exports.twice = (x) => 2 * x;",
      ),
      "lib/base.cjs": module(
        "base",
        `module.exports = class Base { get name() { return "base"; } };`,
      ),
      "lib/object.cjs": module("object", "exports.x = 1;"),
    });
    expect(exported).toMatchObject({
      before: ["function", "function", "object"],
      called: 2,
      method: 4,
      made: true,
      derived: "derived base",
      own: true,
      has: [true, false, true],
      prototype: true,
    });
  });

  test("runs its getters each time, and accepts writes", async () => {
    const { exported } = await run({
      "lib/index.cjs": `const a = require("./a.cjs"); const first = a.next; a.written = 1; delete a.gone;
        Object.defineProperty(a, "defined", { value: 2, enumerable: true });
        exports.seen = [first, a.next, a.written, a.gone, a.defined, require("./other.cjs")(a)];`,
      "lib/a.cjs": module(
        "a",
        "let n = 0; exports.gone = 1; Object.defineProperty(exports, 'next', { get: () => ++n });",
      ),
      "lib/other.cjs": module("other", `module.exports = () => require("./a.cjs").written;`),
    });
    expect(exported["seen"]).toEqual([1, 2, 1, undefined, 2, 1]);
  });

  test("may be a part of Node", async () => {
    const { exported, late } = await run(
      {
        "lib/index.cjs": `const dns = require("node:dns"); const fs = require("node:fs");
          exports.types = [typeof dns.lookup, typeof fs.readFileSync];`,
      },
      { modules: ["node:dns"] },
    );
    expect(exported["types"]).toEqual(["function", "function"]);
    expect(late).toEqual(["node:dns"]);
  });
});

describe("a build whose rules do not match a library", () => {
  test.each([
    [
      "an import statement",
      `import { one } from "./a.cjs"; export { one };`,
      "exports.one = 1;",
      /by import-statement/,
    ],
    ["a list", `exports.a = require("./a.cjs");`, "module.exports = [1];", /no stand-in can have/],
    [
      "a text",
      `exports.a = require("./a.cjs");`,
      `module.exports = "text";`,
      /no stand-in can have/,
    ],
    [
      "a map",
      `exports.a = require("./a.cjs");`,
      "module.exports = new Map();",
      /no stand-in can have/,
    ],
  ])("fails: %s", async (_, index, a, message) => {
    await expect(run({ "lib/index.js": index, "lib/a.cjs": a })).rejects.toThrow(message);
  });

  test("names modules that no file requires any more", async () => {
    const { missing } = await run(
      { "lib/index.cjs": `require("./a.cjs");`, "lib/a.cjs": "" },
      { modules: ["./a.cjs", "./gone.cjs"] },
    );
    expect(missing).toEqual([expect.stringMatching(/requires \.\/gone\.cjs$/)]);
  });
});
