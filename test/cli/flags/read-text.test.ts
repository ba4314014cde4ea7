import { describe, expect, test } from "vitest";
import { decodeText, type DecodeOptions } from "../../../src/cli/flags/read-text.ts";

const text = "Größe;5 €\r\nMüller – “Zoë” 😀\n";

function encode(content: string, name: string): Buffer {
  const little = Buffer.from(content, "utf16le");
  switch (name) {
    case "UTF-16LE":
      return little;
    case "UTF-16BE":
      return little.swap16();
    default:
      return Buffer.from(content, name as BufferEncoding);
  }
}

async function* inPieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function decode(content: Buffer, options: DecodeOptions = {}, size = 3): Promise<string> {
  const blocks: Buffer[] = [];
  for await (const block of decodeText(inPieces(content, size), options)) blocks.push(block);
  return Buffer.concat(blocks).toString();
}

async function findMistake(content: Buffer, options?: DecodeOptions): Promise<unknown> {
  return await decode(content, options).catch((error: unknown) => error);
}

describe("a text is recognized", () => {
  test.each(["utf8", "UTF-16LE", "UTF-16BE"])("in %s, with a mark and without", async (name) => {
    expect(await decode(encode(text, name))).toBe(text);
    expect(await decode(encode(`\ufeff${text}`, name))).toBe(text);
    const long = text.repeat(3_000);
    expect(await decode(encode(long, name), {}, 64 * 1024 - 1)).toBe(long);
  });

  test("in UTF-16 of which only the lines' ends are in ASCII", async () => {
    expect(await decode(encode("金額\n支払い\n", "UTF-16BE"))).toBe("金額\n支払い\n");
  });

  test("in what the user says", async () => {
    const latin = "Größe; 5 £\n";
    expect(await decode(Buffer.from(latin, "latin1"), { encoding: "latin1" })).toBe(latin);
    const windows = Buffer.from("Gr\xf6\xdfe; 5 \x80 \x93Zo\xeb\x94 1\x92234\n", "latin1");
    expect(await decode(windows, { encoding: "windows-1252" })).toBe("Größe; 5 € “Zoë” 1’234\n");
    expect(await decode(encode(text, "UTF-16BE"), { encoding: "utf-16" })).toBe(text);
  });

  test("in UTF-8 for a reader that can do without what is not", async () => {
    const content = Buffer.from("a;M\xfcller;b\nZo\xeb;c\n", "latin1");
    expect(await decode(content, { isLenient: true })).toBe("a;M\ufffdller;b\nZo\ufffd;c\n");
  });
});

test("blocks have whole lines alone, and a character is never cut", async () => {
  const blocks: string[] = [];
  for await (const block of decodeText(inPieces(Buffer.from("äöü\nß😀\nend"), 1))) {
    blocks.push(block.toString());
  }
  expect(blocks.filter((block) => block !== "")).toEqual(["äöü\nß😀\n", "end"]);
});

test.each<[what: string, content: Buffer, mistake: object, options?: DecodeOptions]>([
  [
    "another encoding",
    Buffer.from("a\nM\xfcller\n", "latin1"),
    {
      message: "is not text in UTF-8",
      line: 2,
      hint: "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE saves text in Latin-1 or Windows-1252 as UTF-8.",
    },
  ],
  ["a character that is cut off", Buffer.from("a\n\xc3", "latin1"), { line: 2 }],
  [
    "NUL characters",
    Buffer.from(`${"a,b;c".repeat(10)}\nb\0\n`),
    { message: "holds a NUL character", line: 2 },
  ],
  [
    "UTF-32",
    Buffer.from("\xff\xfe\0\0a\0\0\0", "latin1"),
    { message: "holds a NUL character", line: 1 },
  ],
  [
    "half of a pair in UTF-16",
    Buffer.concat([encode("\ufeffa\nb", "UTF-16LE"), Buffer.from([0x00, 0xd8, 0x41, 0x00])]),
    { message: "is not text in UTF-16", line: 2 },
  ],
  [
    "UTF-16 that is cut off",
    encode("\ufeffa\nb", "UTF-16LE").subarray(0, -1),
    { message: "is not text in UTF-16", line: 2 },
  ],
  [
    "UTF-8 that is said to be UTF-16",
    Buffer.from("a,b\n"),
    { message: "is not text in UTF-16", line: 1 },
    { encoding: "utf-16" },
  ],
  [
    "a byte that Windows-1252 lacks",
    Buffer.from("a\nb\x81\n", "latin1"),
    { message: "has a byte that is no character of Windows-1252", line: 2 },
    { encoding: "windows-1252" },
  ],
  [
    "a mark that says another encoding",
    Buffer.from("\ufeffa\n"),
    { message: "begins with the mark of UTF-8, but --encoding says latin1", line: 1 },
    { encoding: "latin1" },
  ],
  [
    "a line of more than 1 MiB",
    Buffer.from(`a\n${"x".repeat(1024 * 1024 + 1)}`),
    { message: "is a line of more than 1 MiB", line: 2 },
  ],
])("what is no text is refused with its line %s", async (_, content, mistake, options) => {
  const pieces = content.length > 1_000 ? decode(content, options, 64 * 1024) : undefined;
  const error = pieces
    ? await pieces.catch((raised: unknown) => raised)
    : await findMistake(content, options);
  expect(error).toMatchObject({ name: "TextMistake", ...mistake });
});
