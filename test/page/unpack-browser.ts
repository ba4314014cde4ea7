import chromium from "@sparticuz/chromium";

// A process of its own, since the package unpacks into the temporary folder of its process.
await chromium.executablePath();
