import { fileURLToPath } from "node:url";
import chromium, { inflate } from "@sparticuz/chromium";

// A process of its own, since the package unpacks into the temporary folder of its process.
await chromium.executablePath();
// The libraries that a small system does not have: the package itself takes them out on one only.
const libraries = "../../../node_modules/@sparticuz/chromium/bin/al2023.tar.br";
await inflate(fileURLToPath(new URL(libraries, import.meta.url)));
