import packageJson from "../package.json" with { type: "json" };

/** A page of the manual, and the file that it belongs in, below a folder `man`. */
export type ManPage = { name: string; file: string; text: string };

type Section = readonly [heading: string, body: string];

/** A page with its name and title, and the sections that are not empty. */
export function toPage(
  name: string,
  section: 1 | 7,
  title: string,
  sections: readonly Section[],
): ManPage {
  const source = `"payments ${packageJson.version}" "Payments"`;
  const lines = [
    `.TH ${formatText(name.toUpperCase())} ${section} ${findDate()} ${source}`,
    ".nh", // a flag that is broken at a hyphen cannot be copied
    ".SH NAME",
    breakLines(`${formatText(name)} \\- ${formatText(title)}`),
    ...sections
      .filter(([, body]) => body !== "")
      .flatMap(([heading, body]) => [`.SH ${formatText(heading)}`, body]),
  ];
  return { name, file: `man${section}/${name}.${section}`, text: `${lines.join("\n")}\n` };
}

/**
 * Formats text: what stands in backticks is bold, each sentence begins a line, and a line with spaces before it is an
 * example.
 */
export function formatSentences(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      return line.startsWith(" ") ? `.PP\n${formatExamples([line.trim()])}` : formatParagraph(line);
    })
    .join("\n");
}

function formatParagraph(text: string): string {
  const bold = text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? `\\fB${formatText(part)}\\fR` : formatText(part)));
  return breakLines(bold.join("").replaceAll(/(?<=[.:;]) /g, "\n"));
}

/** Command lines, which are not filled. */
export function formatExamples(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const rows = lines.map((line) => breakLines(formatText(line), " \\c\n"));
  return `.RS 4\n.nf\n${rows.join("\n")}\n.fi\n.RE`;
}

/** Escapes what roff would read as its own, so that a flag, a quote or a caret can be copied from the page. */
export function formatText(text: string): string {
  return text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll(/[-'`^~]/g, (each) => escapes[each] ?? each)
    .replaceAll(/[^\n\x20-\x7e]/gu, (each) => {
      return `\\[u${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
    });
}

const escapes: Readonly<Record<string, string>> = {
  "-": String.raw`\-`,
  "'": String.raw`\(aq`,
  "`": String.raw`\(ga`,
  "^": String.raw`\(ha`,
  "~": String.raw`\(ti`,
};

/** Of a line before what joins it to the next. */
const maxLineLength = 76;

/** Breaks lines between words, and protects one that begins as a request of roff's. */
function breakLines(text: string, separator = "\n"): string {
  return text
    .split("\n")
    .map((line) => {
      const lines = [""];
      for (const word of line.split(" ")) {
        const last = lines.length - 1;
        const longer = lines[last] === "" ? word : `${lines[last]} ${word}`;
        if (longer.length <= maxLineLength || lines[last] === "") lines[last] = longer;
        else lines.push(word);
      }
      return lines.map((each) => each.replace(/^\./, String.raw`\&.`)).join(separator);
    })
    .join("\n");
}

/** The day of the build, or of SOURCE_DATE_EPOCH, which makes two builds the same. */
function findDate(): string {
  const { SOURCE_DATE_EPOCH: seconds } = process.env;
  const date = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
  return date.toISOString().slice(0, 10);
}
