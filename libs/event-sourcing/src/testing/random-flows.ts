import * as fc from 'fast-check';

/** The default number of random flows per property. `npm run test:nightly` sets FLORIN_RANDOM_FLOWS=20000. */
const flowsPerChange = 300;

/** The factor by which FLORIN_RANDOM_FLOWS exceeds the default. */
const scale = numberFrom('FLORIN_RANDOM_FLOWS', flowsPerChange) / flowsPerChange;

const firstSeed = numberFrom('FLORIN_RANDOM_SEED', Date.now() % 2 ** 30);

/** The flows of a property are divided among several tests, so that each of them is short: `it.each(randomFlowParts)`. */
export const randomFlowParts = [1, 2, 3, 4, 5];

/** The time limit of a test with random flows grows with their number. */
export const randomFlowsTimeoutMs = 60_000 * Math.max(1, scale);

export interface RandomFlowsOptions {
  /** The default number of flows, if one flow costs more than usual. FLORIN_RANDOM_FLOWS scales it as well. */
  readonly perChange?: number;
}

/**
 * Checks a property for one part of its random flows. The seed is printed before the run and with a failure;
 * FLORIN_RANDOM_SEED=<seed of part 1> repeats the same flows.
 */
export async function checkRandomFlows<Flow>(
  name: string,
  part: number,
  flows: fc.Arbitrary<Flow>,
  check: (flow: Flow) => Promise<void>,
  { perChange = flowsPerChange }: RandomFlowsOptions = {},
): Promise<void> {
  const numRuns = Math.ceil((perChange * scale) / randomFlowParts.length);
  const seed = firstSeed + part - 1;
  process.stderr.write(
    `${name}, part ${part}: ${numRuns} random flows, seed ${seed}, FLORIN_RANDOM_SEED=${firstSeed}\n`,
  );
  await fc.assert(fc.asyncProperty(flows, check), { numRuns, seed });
}

function numberFrom(variable: string, fallback: number): number {
  const text = process.env[variable] || String(fallback);
  if (!/^\d+$/.test(text)) throw new Error(`${variable} must be a whole number, not "${text}".`);
  return Number(text);
}
