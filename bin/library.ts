import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { build, type Metafile } from "esbuild";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/** The modules that a program imports: `payments-cli/client` and `payments-cli/service`. */
const entries = { client: "client/index", service: "service/server/start-service" };

/**
 * Builds the client and the service for programs, as ES modules that share one copy of every class. Their libraries
 * are dependencies of the package, which a program shares with its own. The text is not minified, so that a stack
 * trace can be read.
 */
export async function buildLibrary(): Promise<Metafile["outputs"]> {
  const { metafile } = await build({
    entryPoints: mapEntries((path) => `src/${path}.ts`),
    outdir: "dist",
    bundle: true,
    packages: "external",
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  return metafile.outputs;
}

/**
 * Writes the types of the library, one file for each entry and one for what both share: the compiler's declarations,
 * which are a file for each source, are rolled into these, and what no export names is left out. The compiler checks
 * nothing here, which would take as long again: `npm run types` does.
 */
export async function rollDeclarations(): Promise<void> {
  const folder = mkdtempSync("dist/declarations-");
  const tsc = ["node_modules/typescript/bin/tsc", "--project", "bin/types.json"];
  execFileSync(process.execPath, [...tsc, "--outDir", folder], { stdio: "inherit" });
  const bundle = await rolldown({
    input: mapEntries((path) => `./${folder}/${path}.d.ts`),
    external: /^[^./]/,
    plugins: [dts({ dtsInput: true, generator: "oxc", tsconfig: false })], // "oxc" generates nothing here
    logLevel: "warn",
  });
  await bundle.write({
    dir: "dist/types",
    format: "es",
    minifyInternalExports: false,
    chunkFileNames: "contract.d.ts",
  });
  await bundle.close();
  rmSync(folder, { recursive: true });
}

function mapEntries(toFile: (path: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, toFile(path)]));
}
