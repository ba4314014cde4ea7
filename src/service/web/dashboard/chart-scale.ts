/** The values at the lines of a chart, from 0 up to at least its highest value, as far from each other as `step`. */
export type Scale = { step: number; top: number; lines: number[] };

const maxSteps = 4;

/**
 * A scale of round numbers: steps of 1, 2 or 5 times a power of ten, the smallest with which four reach the highest
 * value. Amounts are minor units, so that their steps are round in units of the currency, too.
 */
export function chooseScale(highest: number): Scale {
  const step = chooseStep(highest / maxSteps);
  const count = Math.max(1, Math.ceil(highest / step));
  const lines = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { step, top: count * step, lines };
}

function chooseStep(min: number): number {
  for (let power = 1; ; power *= 10) {
    const factor = [1, 2, 5].find((each) => each * power >= min);
    if (factor !== undefined) return factor * power;
  }
}
