import { expect, test } from "vitest";
import { readAssets } from "../../../../src/service/web/design/pages.ts";

/** The colours of a look by name. */
type Colors = Record<string, string>;

const [lightColors = {}, darkColors = {}] = readAssets("design/tokens.css")
  .split("@media screen")
  .map((part): Colors =>
    Object.fromEntries(
      [...part.matchAll(/--([\w-]+): (#[\da-f]+);/g)].map(([, name = "", color = ""]) => [
        name,
        color,
      ]),
    ),
  );

/** The colours of text, each with those it may stand on: their contrast is at least 4.5. */
const readableOn: Record<string, readonly string[]> = {
  text: ["page", "sheet", "tint", "wrong-tint", "good-tint", "waiting-tint"],
  quiet: ["page", "sheet", "tint"],
  sheet: ["text"],
  accent: ["page", "sheet", "tint", "wrong-tint", "good-tint", "waiting-tint"],
  deep: ["page", "sheet", "tint"],
  "on-accent": ["accent", "deep"],
  wrong: ["page", "sheet", "tint", "wrong-tint"],
  "on-danger": ["danger", "danger-deep"],
  good: ["page", "sheet", "tint", "good-tint"],
  waiting: ["sheet", "waiting-tint"],
  "on-test": ["test"],
  "on-live": ["live"],
};

/** The colours of edges that show where a control is: their contrast is at least 3 (WCAG 2.2, 1.4.11). */
const visibleOn: Record<string, readonly string[]> = {
  edge: ["page", "sheet", "tint"],
  accent: ["page", "sheet", "tint"],
  "on-live": ["live"],
  "on-test": ["test"],
};

/** The relative luminance of a colour such as `#1a2b3c` or `#fff` (WCAG 2.2). */
function measureLuminance(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/[\da-f]/g, "$&$&") : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(digits.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function measureContrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [one, other].map(measureLuminance).toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

test.each([
  ["text is read", readableOn, 4.5],
  ["an edge is seen", visibleOn, 3],
])("%s on each colour it may stand on, light and dark", (_, pairs, least) => {
  const tooFaint = Object.entries(pairs).flatMap(([name, backgrounds]) =>
    backgrounds.flatMap((background) =>
      [lightColors, darkColors].flatMap((look) => {
        const contrast = measureContrast(look[name] ?? "", look[background] ?? "");
        return contrast >= least ? [] : [{ name, background, look, contrast }];
      }),
    ),
  );
  expect(tooFaint).toEqual([]);
});

test("a dark look has every colour of the light one", () => {
  expect(Object.keys(lightColors).length).toBeGreaterThan(20);
  expect(Object.keys(darkColors)).toEqual(Object.keys(lightColors));
});
