import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { outputs, root } from "../testkit/command/built-commands.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

const programs = join(root, "test/programs");

const program = `
import { PaymentsClient, verifyWebhook, WebhookVerificationError } from "payments-cli/client";

const client = new PaymentsClient({ baseUrl: "http://127.0.0.1:1", apiKey: "svc_test_sk_key", maxRetries: 0 });
client.payments.list().catch((lost) => {
  try {
    verifyWebhook("{}", {}, "whsec_AAAA");
  } catch (error) {
    console.log(lost.name + " " + (error instanceof WebhookVerificationError));
  }
});
`;

describe("payments-cli as a library", () => {
  const folder = createTemporaryHome();
  let installed: string;
  beforeAll(() => {
    installed = install(folder);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "program.js"), program);
  });

  it("gives a program that installs it a typed client and a service", () => {
    const file = join(folder, "each-export.ts");
    copyFileSync(join(programs, "each-export.ts"), file);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024"];
    execFileSync(process.execPath, [tsc, ...options, "--types", "node", file], { cwd: folder });
    expect(JSON.parse(runNode(file))).toEqual({
      statuses: ["succeeded", "succeeded"],
      codes: ["resource_missing", "payment_already_refunded"],
      lost: ["ConnectionError"],
      closed: true,
      webhook: "secret",
      clock: "manual",
      isOfSale: true,
      withoutStripe:
        "Payments at Stripe need the package stripe, which is not installed: npm install stripe",
    });
  });

  it("has no export that the compiled program does not use, and no path of its sources in a type", () => {
    const text = readFileSync(join(programs, "each-export.ts"), "utf8");
    for (const entry of ["client", "service"]) {
      const types = readFileSync(join(installed, `dist/types/${entry}.d.ts`), "utf8");
      const declared = types.matchAll(/^export (?:declare )?(?:class|function|type) (\w+)/gm);
      const listed = /^export type \{ (.*) \};?$/m.exec(types)?.[1]?.split(", ") ?? [];
      const names = [...declared]
        .map(([, name]) => name)
        .concat(listed.map((each) => each.split(" ").at(-1)));
      expect(names.length).toBeGreaterThan(6);
      for (const name of names) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
      const imported = [...types.matchAll(/ from "(.*)"/g)].map(([, from]) => from);
      expect(imported.filter((from) => from !== "./contract.js" && from !== "zod")).toEqual([]);
    }
  });

  it("gives a program in CommonJS the same classes, imported and required", () => {
    const file = join(folder, "commonjs.cjs");
    copyFileSync(join(programs, "commonjs.cjs"), file);
    expect(runNode(file)).toBe("true true");
  });

  it("has a command", () => {
    const argv = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
    const env = { PATH: process.env["PATH"], HOME: folder };
    const command = [join(installed, "bin/run.js"), ...argv];
    const created = execFileSync(process.execPath, command, { env, encoding: "utf8" });
    expect(JSON.parse(created)).toMatchObject({ status: "succeeded" });
  });

  it("imports the libraries that package.json names, and no others", () => {
    const files = Object.entries(outputs).filter(([file]) => file.endsWith(".js"));
    const imports = files.flatMap(([, output]) => output.imports);
    const imported = imports.flatMap(({ path, external }) =>
      external && !path.startsWith("node:") ? [path] : [],
    );
    const { dependencies, peerDependencies } = packageJson;
    const named = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...new Set(imported)].toSorted()).toEqual(named.toSorted());
  });

  it("can be bundled with a program by esbuild as CommonJS", async () => {
    const outfile = join(createTemporaryHome(), "program.cjs");
    const entryPoints = [join(folder, "program.js")];
    await build({ entryPoints, outfile, format: "cjs", bundle: true, platform: "node" });
    expect(runNode(outfile)).toBe("ConnectionError true");
  });
});

function runNode(file: string): string {
  return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
}

/**
 * Installs the package as npm would publish it, beside links to its dependencies and the types of Node: an import of
 * anything else fails.
 */
function install(folder: string): string {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", packing, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(folder, name), "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "payments-cli"));
  for (const library of [...Object.keys(packageJson.dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, library)), { recursive: true });
    symlinkSync(join(root, "node_modules", library), join(modules, library));
  }
  return join(modules, "payments-cli");
}
