// Makes build/payments_VERSION_ARCHITECTURE.deb of build/payments, which bin/package.js makes, with Debian's
// dpkg-deb and gzip. The same files give the same package, whenever and by whoever it is built.
//   node bin/package-deb.js [FOLDER]   takes FOLDER/payments and leaves the package beside it
// DEBFULLNAME and DEBEMAIL name the maintainer, as Debian's own tools expect it. SOURCE_DATE_EPOCH is the
// time of the package; the default is that of the last commit.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

process.chdir(new URL("..", import.meta.url).pathname);
process.umask(0o022);
const folder = resolve(process.argv[2] ?? "build");
const executable = join(folder, "payments");
const architecture = { x64: "amd64", arm64: "arm64" }[process.arch];
const npmVersion = JSON.parse(readFileSync("package.json", "utf8")).version;
// A tilde sorts before everything, so that 1.0.0~rc.1 is older than 1.0.0.
const version = npmVersion.replace("-", "~");
const { DEBFULLNAME = "The builder of this package", DEBEMAIL = "payments@example.invalid" } =
  process.env;
const maintainer = `${DEBFULLNAME} <${DEBEMAIL}>`;
const builtAt = new Date(
  Number(process.env.SOURCE_DATE_EPOCH ?? print("git", "log", "-1", "--format=%ct")) * 1000,
);

if (!architecture) throw new Error(`There is no Debian package for ${process.arch}.`);
requireFile(executable, "npm run package");
const manuals = globSync("dist/man/**/*.[1-8]");
if (manuals.length === 0) throw new Error("There is no man page in dist/man: run npm run build.");

const root = join(folder, "work-deb");
rmSync(root, { recursive: true, force: true });
install("usr/bin/payments", readFileSync(executable), 0o755);
install("usr/lib/systemd/system/payments@.service", readFileSync("packaging/payments@.service"));
install("usr/lib/sysusers.d/payments.conf", readFileSync("packaging/debian/sysusers.conf"));
install("usr/lib/tmpfiles.d/payments.conf", readFileSync("packaging/debian/tmpfiles.conf"));
install("etc/payments/environment", readFileSync("packaging/environment"), 0o640);

for (const page of manuals) {
  const section = page.slice(-1);
  install(`usr/share/man/man${section}/${basename(page)}.gz`, compress(readFileSync(page)));
}
install("usr/share/bash-completion/completions/payments", complete("bash"));
install("usr/share/zsh/vendor-completions/_payments", complete("zsh"));
install("usr/share/fish/vendor_completions.d/payments.fish", complete("fish"));

const examples = "usr/share/doc/payments/examples";
for (const file of ["nginx.conf", "pgbouncer.ini"]) {
  install(`${examples}/${file}`, readFileSync(`packaging/${file}`));
}
install(`${examples}/run-as-service`, readFileSync("packaging/run-as-service"), 0o755);
for (const file of globSync("packaging/{prometheus,grafana}/*")) {
  if (!file.endsWith(".test.yml")) install(`${examples}/${basename(file)}`, readFileSync(file));
}
install("usr/share/doc/payments/copyright", copyright());
install("usr/share/doc/payments/changelog.gz", compress(changelog()));
install("usr/share/doc/payments/operating.md.gz", compress(readFileSync("docs/operating.md")));
install("usr/share/lintian/overrides/payments", readFileSync("packaging/debian/lintian-overrides"));

install("DEBIAN/control", control());
install("DEBIAN/conffiles", "/etc/payments/environment\n");
for (const script of ["postinst", "prerm", "postrm"]) {
  install(`DEBIAN/${script}`, readFileSync(`packaging/debian/${script}`), 0o755);
}
install("DEBIAN/md5sums", checksums());

const target = join(folder, `payments_${version}_${architecture}.deb`);
execFileSync("dpkg-deb", ["--root-owner-group", "-Zxz", "-z3", "--build", root, target], {
  env: { ...process.env, SOURCE_DATE_EPOCH: String(builtAt.getTime() / 1000) },
  stdio: ["ignore", "ignore", "inherit"],
});
rmSync(root, { recursive: true });
console.log(target);

function install(path, content, mode = 0o644) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

function requireFile(file, command) {
  if (!existsSync(file)) throw new Error(`${file} is missing: run ${command}.`);
}

function print(program, ...argv) {
  return execFileSync(program, argv, { encoding: "utf8" });
}

function complete(shell) {
  return print(executable, "completion", shell);
}

/** Without the time and the name of the file, which differ from build to build. */
function compress(input) {
  return execFileSync("gzip", ["-9n"], { input });
}

function control() {
  const kilobytes = globSync(`${root}/**/*`)
    .filter((file) => statSync(file).isFile())
    .reduce((sum, file) => sum + Math.ceil(statSync(file).size / 1024), 0);
  return readFileSync("packaging/debian/control", "utf8")
    .replace("@VERSION@", version)
    .replace("@ARCHITECTURE@", architecture)
    .replace("@MAINTAINER@", maintainer)
    .replace("@INSTALLED_SIZE@", String(kilobytes));
}

/** Debian's changelog names the release; what has changed is told once, in the project's own. */
function changelog() {
  const date = builtAt.toUTCString().replace("GMT", "+0000");
  return `payments (${version}) unstable; urgency=medium

  * Release ${npmVersion}: see CHANGELOG.md of the project.

 -- ${maintainer}  ${date}
`;
}

/** The project's license, and those of all that the executable contains, as it prints them. */
function copyright() {
  const own = readFileSync("LICENSE", "utf8").trim();
  const others = print(executable, "licenses", "--texts")
    .replaceAll("\r\n", "\n")
    .replaceAll(
      /TERMS AND CONDITIONS FOR USE, REPRODUCTION[\s\S]*?END OF TERMS AND CONDITIONS/g,
      "…",
    )
    .trim();
  return `${own}

The executable contains Node.js and the packages below, each under its own license. Debian systems have the
text of the Apache License 2.0 in /usr/share/common-licenses/Apache-2.0.

${others}
`;
}

function checksums() {
  return globSync(["usr/**/*"], { cwd: root })
    .filter((file) => statSync(join(root, file)).isFile())
    .toSorted()
    .map((file) => print("md5sum", join(root, file)).slice(0, 32) + `  ${file}\n`)
    .join("");
}
