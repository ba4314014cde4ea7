import { closeSync, openSync, readSync } from "node:fs";
import { isatty } from "node:tty";
import { reasonUnreadable } from "../input/unreadable.ts";
import { SettingsError } from "./settings-error.ts";

const maxBytes = 4 * 1024;

/**
 * The text of the file that `--api-key-file` names, `-` being standard input. Errors: it cannot be read,
 * holds more than any key does, or is a terminal, which would show the key as it is typed.
 */
export function readKeyFile(path: string): string {
  let text: Buffer;
  try {
    text = path === "-" ? read(0) : readNamed(path);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(
      "usage",
      `--api-key-file cannot be read: ${reasonUnreadable(error)}.`,
      "Give the path of a file that holds the key, or - for standard input.",
    );
  }
  if (text.length <= maxBytes) return text.toString("utf8");
  throw new SettingsError(
    "usage",
    "--api-key-file is larger than 4 KiB, which no key is.",
    "Give the path of a file that holds the key alone.",
  );
}

function readNamed(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

/** All there is, or one byte more than is allowed. */
function read(file: number): Buffer {
  if (isatty(file)) {
    throw new SettingsError(
      "usage",
      "--api-key-file is a terminal, which would show the key as it is typed.",
      "Give a file or a pipe, or type the key at the hidden prompt of payments login.",
    );
  }
  const buffer = Buffer.alloc(maxBytes + 1);
  let size = 0;
  while (size < buffer.length) {
    const count = readWhatIsThere(file, buffer, size);
    if (count === 0) break;
    size += count;
  }
  return buffer.subarray(0, size);
}

/** A key comes in one piece, but perhaps not at once: a pipe that is still empty is asked again. */
function readWhatIsThere(file: number, buffer: Buffer, offset: number): number {
  for (;;) {
    try {
      return readSync(file, buffer, offset, buffer.length - offset, null);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0; // as Windows says it
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
