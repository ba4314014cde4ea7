import { execFileSync } from "node:child_process";
import { createWriteStream, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readRefundFile } from "../../../src/cli/refunds/read-refund-file.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const pipeMaker = "mkfifo"; // of every system that has pipes with names
const idOf = (at: number) => `pay_0199c5a8-7f3e-7abc-9def-${String(at).padStart(12, "0")}`;
const [one, two, three] = [idOf(1), idOf(2), idOf(3)];
const none = "is no payment's id, such as pay_0199…. Nothing was refunded.";

async function read(content: string | Buffer) {
  const file = temporaryFile();
  writeFileSync(file, content);
  return await readRefundFile(file, new AbortController().signal);
}

/** The mistake in a file, without the file's name. */
async function findMistake(content: string | Buffer): Promise<string> {
  const error: unknown = await read(content).catch((raised: unknown) => raised);
  expect(error).toMatchObject({ exitCode: 2 });
  return (error as Error).message.replace(/^.*\.db:/, "");
}

describe("the payments of a file are those of", () => {
  test.each<[what: string, content: string | Buffer]>([
    ["ids, one a line", `${one}\n${two}\n${three}\n`],
    ["ids without a last line feed", `${one}\n${two}\n${three}`],
    [
      "ids with CR LF, blanks and empty lines",
      `\r\n ${one} \r\n\r\n\t${two}\r\n${three}\t\r\n\r\n`,
    ],
    ["a BOM", `\ufeff${one}\n${two}\n${three}\n`],
    [
      "UTF-16, as PowerShell writes it",
      Buffer.from(`\ufeff${one}\r\n${two}\r\n${three}`, "utf16le"),
    ],
    ["a column id", `amount,id\n1,${one}\n2,${two}\n3,${three}\n`],
    ["a column ID beside semicolons", `Betrag;ID;Name\n1;${one};Ä\n2; ${two} ;Ö\n3;${three};\n`],
    ["a column alone", `id\n${one}\n\n${two}\n${three}\n`],
    ["a column in quotes beside tabs", `"Payment"\t"x"\n"${one}"\t1\n"${two}"\t2\n"${three}"\t3\n`],
    ["payment before id", `id,payment\nevt_1,${one}\nevt_2,${two}\nevt_3,${three}\n`],
    ["empty lines above a heading", `\n\r\nid,amount\n${one},1\n,\n${two},2\n${three},3\n`],
    ["a heading with a line break", `"no\nte",id\n"a\nb",${one}\n"c, d",${two}\n,${three}\n`],
    [
      "a CSV in another encoding",
      Buffer.from(`name,id\nJörg,${one}\nÄ,${two}\nß,${three}`, "latin1"),
    ],
    ["JSON lines with id", [one, two, three].map((id) => `{"id":"${id}","amount":1}\n`).join("")],
    [
      "JSON lines with payment",
      `{"payment":"${one}","id":"x"}\r\n\n {"payment":"${two}"}\n{"id":"${three}"}`,
    ],
  ])("%s", async (_, content) => {
    expect(await read(content)).toEqual({ ids: [one, two, three], twice: 0 });
  });
});

test("a payment is taken once, where it is named first", async () => {
  const content = `${two}\n${one}\n${two} \n"x"`.replace('"x"', two);
  expect(await read(content)).toEqual({ ids: [two, one], twice: 2 });
});

describe("a wrong file is refused with its line", () => {
  test.each<[what: string, content: string | Buffer, mistake: string]>([
    ["an empty file", "", "1: is empty. Nothing was refunded."],
    ["a file of empty lines", "\n\r\n \n", "1: is empty. Nothing was refunded."],
    ["a line that is no id", `${one}\n${two}\nrefund all\n`, `3: ${none}`],
    ["another object's id", `${one}\nevt_0199c5a8\n`, `2: ${none}`],
    ["two ids in a line", `${one}\n${two} ${three}\n`, `2: ${none}`],
    ["a heading without a column of ids", `amount,customer\n1,Ada\n`, `1: ${none}`],
    [
      "a row without an id, behind a line break in quotes",
      `id,note\n${one},"a\r\nb"\n ,c\n`,
      `4: ${none}`,
    ],
    [
      "a row with another number of cells",
      `id,note\n${one},a\n${two}\n`,
      "3: has 1 columns, but the first line has 2. Nothing was refunded.",
    ],
    [
      "a quote that is never closed",
      `id,note\n${one},"a\n${two},b\n`,
      "2: begins a row with a quote that is never closed: the file may be cut off. Nothing was refunded.",
    ],
    ["a line of JSON that is none", `{"id":"${one}"}\n\n{"id":"${two}"\n`, `3: ${none}`],
    ["JSON with another id", `{"payment":null,"id":"${one}"}\n`, `1: ${none}`],
    ["JSON that is a list of the API", `{"object":"list","data":[{"id":"${one}"}]}`, `1: ${none}`],
    ["a NUL", `${one}\n${two}\0\n`, "2: holds a NUL character. Nothing was refunded."],
    [
      "a long line",
      `${one}\n${"x".repeat(10_000_000)}\n`,
      "2: is a line of more than 1 MiB. Nothing was refunded.",
    ],
  ])("%s", async (_, content, mistake) => {
    expect(await findMistake(content)).toBe(mistake);
  });

  test("and nothing of it is repeated, which may be a card or a key", async () => {
    for (const secret of ["4242424242424242", `svc_live_sk_${"a".repeat(43)}`]) {
      expect(await findMistake(`${one}\n${secret}\n`)).toBe(`2: ${none}`);
    }
  });

  test("/dev/null is empty, a folder and a file that is not there cannot be read", async () => {
    const { signal } = new AbortController();
    for (const [path, message] of [
      ["/dev/null", "/dev/null:1: is empty"],
      ["/", "/ cannot be read: it is a directory"],
      ["/none", "/none cannot be read: there is no such file"],
    ] as const) {
      const failing = readRefundFile(path, signal);
      await expect(failing).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(message) as unknown,
      });
    }
  });
});

test("100,000 payments are read, and one more is refused with its line", async () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => idOf(at));
  expect((await read(lines.join("\n"))).ids).toEqual(lines);
  const mistake =
    "100002: is one more than the 100,000 payments that a run may have. Nothing was refunded.";
  expect(await findMistake(["id", ...lines, one].join("\n"))).toBe(mistake);
});

test("a FIFO is read to its end, and a signal ends the waiting for one", async () => {
  const fifo = temporaryFile();
  execFileSync(pipeMaker, [fifo]);
  const reading = readRefundFile(fifo, new AbortController().signal);
  const writer = createWriteStream(fifo);
  writer.write(`${one}\n${two.slice(0, 9)}`);
  writer.end(`${two.slice(9)}\n`);
  expect(await reading).toEqual({ ids: [one, two], twice: 0 });

  const leaving = new AbortController();
  const waiting = readRefundFile(fifo, leaving.signal);
  leaving.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
});
