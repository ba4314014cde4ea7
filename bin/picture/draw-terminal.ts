const fontSize = 14;
const columnWidth = 8.43; // 0.602 of the font's size, as in most monospaced fonts
const lineHeight = 20;
const padding = 20;
const barHeight = 32;

/** The class of a span for each SGR code that the command uses; the others end one. */
const classes: Record<string, string> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  36: "cyan",
};

/**
 * Draws a terminal's output, with its colours, as an SVG of `columns` columns. Its texts can be selected,
 * and it follows the reader's colour scheme. Errors: a line is too long, which a terminal would break.
 */
export function drawTerminal(output: string, columns: number, title: string): string {
  const lines = output.trimEnd().split(/\r?\n/);
  const tooLong = lines.find((line) => [...stripColors(line)].length > columns);
  if (tooLong !== undefined) throw new Error(`Longer than ${columns} columns: ${tooLong}`);
  const width = Math.ceil(columns * columnWidth) + 2 * padding;
  const height = barHeight + lines.length * lineHeight + padding;
  const texts = lines.map((line, at) => {
    const y = barHeight + (at + 1) * lineHeight - 4;
    return `<text x="${padding}" y="${y}">${drawLine(line)}</text>`;
  });
  const dots = [0, 1, 2].map((at) => `<circle cx="${padding + 5 + at * 16}" cy="18" r="5"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
  .screen { fill: #ffffff; stroke: #d0d7de }
  circle { fill: #d0d7de }
  text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
  .bold { font-weight: 600 } .dim { fill: #59636e } .red { fill: #c21c13 } .green { fill: #1a7f37 }
  .yellow { fill: #7d4e00 } .blue { fill: #0969da } .cyan { fill: #1b7c83 }
  @media (prefers-color-scheme: dark) {
    .screen { fill: #0d1117; stroke: #3d444d }
    circle { fill: #3d444d }
    text { fill: #f0f6fc }
    .dim { fill: #9198a1 } .red { fill: #ff7b72 } .green { fill: #3fb950 }
    .yellow { fill: #d29922 } .blue { fill: #58a6ff } .cyan { fill: #39c5cf }
  }
</style>
<rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${dots.join("")}
${texts.join("\n")}
</svg>
`;
}

/** The lines of text of a picture, as `drawTerminal` was given them, without colours. */
export function readTexts(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = ""]) =>
    text
      .replaceAll(/<[^>]+>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

/** A column that follows a gap has its own place, so that columns stand below each other in any font. */
function drawLine(line: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the terminal's own
  const [first = "", ...spans] = line.split(/\u001B\[(?=[\d;]*m)/);
  let column = 0;
  const drawSpan = (text: string, name: string) =>
    text.split(/(?<= {2})(?=\S)/).map((part) => {
      const place =
        column > 0 && / {2}$/.test(before)
          ? ` x="${Math.round(padding + column * columnWidth)}"`
          : "";
      const style = name === "" ? "" : ` class="${name}"`;
      column += [...part].length;
      before = part;
      return place + style === ""
        ? escapeXml(part)
        : `<tspan${place}${style}>${escapeXml(part)}</tspan>`;
    });
  let before = "";
  return [
    ...drawSpan(first, ""),
    ...spans.flatMap((span) => {
      const [, code = "", text = ""] = /^([\d;]*)m(.*)$/.exec(span) ?? [];
      return text === "" ? [] : drawSpan(text, classes[code] ?? "");
    }),
  ].join("");
}

function stripColors(line: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the terminal's own
  return line.replaceAll(/\u001B\[[\d;]*m/g, "");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
