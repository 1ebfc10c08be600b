import * as fc from 'fast-check';

/** The default number of random flows per property. `npm run test:nightly` sets FLORIN_RANDOM_FLOWS=20000. */
const flowsPerChange = 300;

/** The factor by which FLORIN_RANDOM_FLOWS exceeds the default. */
const scale = numberFrom('FLORIN_RANDOM_FLOWS', flowsPerChange) / flowsPerChange;

/** The time limit of a test with random flows grows with their number. */
export const randomFlowsTimeoutMs = 60_000 * Math.max(1, scale);

export interface RandomFlowsOptions {
  /** The default number of flows, if one flow costs more than usual. FLORIN_RANDOM_FLOWS scales it as well. */
  readonly perChange?: number;
}

/**
 * Checks a property for random flows. The seed is printed before the run and with a failure; FLORIN_RANDOM_SEED=<seed>
 * repeats the same flows.
 */
export async function checkRandomFlows<Flow>(
  name: string,
  flows: fc.Arbitrary<Flow>,
  check: (flow: Flow) => Promise<void>,
  { perChange = flowsPerChange }: RandomFlowsOptions = {},
): Promise<void> {
  const numRuns = Math.max(1, Math.round(perChange * scale));
  const seed = numberFrom('FLORIN_RANDOM_SEED', Date.now() % 2 ** 31);
  process.stderr.write(`${name}: ${numRuns} random flows, FLORIN_RANDOM_SEED=${seed}\n`);
  await fc.assert(fc.asyncProperty(flows, check), { numRuns, seed });
}

function numberFrom(variable: string, fallback: number): number {
  const text = process.env[variable] || String(fallback);
  if (!/^\d+$/.test(text)) throw new Error(`${variable} must be a whole number, not "${text}".`);
  return Number(text);
}
