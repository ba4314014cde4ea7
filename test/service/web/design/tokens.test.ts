import { expect, test } from "vitest";
import { colors } from "../../../../src/service/web/design/tokens.ts";

type ColorName = keyof typeof colors;

/** The colours of text, each with those it may stand on: their contrast is at least 4.5. */
const readableOn: { [Name in ColorName]?: readonly ColorName[] } = {
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
const visibleOn: { [Name in ColorName]?: readonly ColorName[] } = {
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
  const [light = 0, dark = 0] = [one, other].map(measureLuminance).toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test.each([
  ["text is read", readableOn, 4.5],
  ["an edge is seen", visibleOn, 3],
])("%s on each colour it may stand on, light and dark", (_, pairs, least) => {
  const tooFaint = Object.entries(pairs).flatMap(([name, backgrounds]) =>
    backgrounds.flatMap((background) =>
      ([0, 1] as const).flatMap((look) => {
        const contrast = measureContrast(colors[name as ColorName][look], colors[background][look]);
        return contrast < least ? [{ name, background, look, contrast }] : [];
      }),
    ),
  );
  expect(tooFaint).toEqual([]);
});
