import { expect, test } from "vitest";
import {
  colors,
  readableOn,
  visibleOn,
  type ColorName,
} from "../../../../src/service/web/design/tokens.ts";

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
