// Makes `payments` as one executable file for this platform, which contains Node, the built command and its
// code as V8 compiled it. It runs on machines without Node.
//   node bin/package.js [FOLDER]   makes FOLDER/payments, else build/payments, and beside it the licenses of all
//                                  that is in it, Node's too
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, resolve } from "node:path";
import { build } from "esbuild";
import { inject } from "postject";
import { formatNodeLicense } from "./contents/licenses.ts";
import { addNode } from "./contents/sbom.ts";

const folder = resolve(process.argv[2] ?? "build");
const executable = `${folder}/payments`;
const work = `${folder}/work`;

process.chdir(new URL("..", import.meta.url).pathname);
mkdirSync(work, { recursive: true });

await build({
  entryPoints: { main: "bin/executable/main.js" },
  outdir: work,
  bundle: true,
  format: "cjs",
  platform: "node",
  logLevel: "warning",
});
execFileSync(process.execPath, ["bin/executable/compile.js", work], {
  stdio: ["ignore", "ignore", "inherit"],
});

const sbom = JSON.parse(readFileSync("dist/sbom.cdx.json", "utf8"));
writeFileSync(`${work}/sbom.cdx.json`, JSON.stringify(addNode(sbom, process.versions)));
const licenses = readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8");
writeFileSync(`${folder}/THIRD-PARTY-LICENSES.txt`, `${licenses}\n${formatNodeLicense()}`);

const files = [
  `${work}/sbom.cdx.json`,
  `${folder}/THIRD-PARTY-LICENSES.txt`,
  ...globSync(["dist/*.cjs", "dist/migrations/*.sql", "dist/web/*"], {
    exclude: ["dist/stored-code.cjs"],
  }),
  "docs/agents.md",
  "docs/errors.html",
  "docs/openapi.json",
  ...globSync(`${work}/*.cache`),
];
const config = {
  main: "main.js", // the executable has this path, so it names no folder of this machine
  output: "blob",
  disableExperimentalSEAWarning: true,
  useCodeCache: true,
  assets: Object.fromEntries(files.map((file) => [basename(file), resolve(file)])),
};
writeFileSync(`${work}/config.json`, JSON.stringify(config));
execFileSync(process.execPath, ["--experimental-sea-config", "config.json"], { cwd: work });

copyFileSync(process.execPath, executable);
chmodSync(executable, 0o755);
// macOS runs no file that was changed after it was signed.
if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", executable]);
await inject(executable, "NODE_SEA_BLOB", readFileSync(`${work}/blob`), {
  sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
  ...(process.platform === "darwin" && { machoSegmentName: "NODE_SEA" }),
});
if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", executable]);
rmSync(work, { recursive: true });
console.log(executable);
