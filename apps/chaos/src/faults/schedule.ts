import type { Random } from '../random';
import type { FaultKind } from './fault-kinds';

export interface Fault {
  readonly kind: FaultKind;
  /** From the beginning of the load on. */
  readonly atMs: number;
  /** How long it lasts, where it lasts. */
  readonly forMs: number;
  /** Of a delay: how much longer everything takes. */
  readonly delayMs: number;
  /** Of 0 to 1: which of the possible victims. The schedule does not have to know how many there are. */
  readonly victim: number;
}

export interface ScheduleOptions {
  readonly kinds: readonly FaultKind[];
  readonly durationMs: number;
}

/** The first ones meet a system at work; the last ones have time to end before the load does. */
const leadInMs = 2_000;
const leadOutMs = 3_000;
const mostFaults = 1_000;

const lengthsMs: Readonly<Record<FaultKind, readonly [number, number]>> = {
  'kill-service': [0, 0],
  'kill-database': [100, 3_000],
  'kill-broker': [100, 3_000],
  'cut-database': [0, 0],
  'cut-broker': [0, 0],
  'refuse-database': [300, 4_000],
  'refuse-broker': [300, 4_000],
  'delay-database': [1_000, 5_000],
  'delay-broker': [1_000, 6_000],
  'rolling-restart': [0, 0],
  'repeat-commands': [0, 0],
};
const delaysMs = [200, 2_000] as const;

/** Some come while others last, and most when all works again: what never works cannot lose anything either. */
const hurriedMs = [200, 1_500] as const;
const calmMs = [4_000, 9_000] as const;
const hurriedShare = 0.4;

/** Everything that will be done to the system, by the seed alone: in every round each kind has its turn once. */
export function planFaults(random: Random, { kinds, durationMs }: ScheduleOptions): Fault[] {
  const faults: Fault[] = [];
  let turns: FaultKind[] = [];
  const lastMs = durationMs - leadOutMs;
  const pauseMs = (): number => {
    const [shortest, longest] = random.chance(hurriedShare) ? hurriedMs : calmMs;
    return random.between(shortest, longest);
  };
  for (let atMs = leadInMs; atMs < lastMs && faults.length < mostFaults; atMs += pauseMs()) {
    if (turns.length === 0) turns = random.shuffled(kinds);
    const kind = turns.pop();
    if (kind === undefined) break;
    const forMs = Math.min(random.between(...lengthsMs[kind]), durationMs - atMs);
    faults.push({ kind, atMs, forMs, delayMs: random.between(...delaysMs), victim: random.next() });
  }
  return faults;
}

export function describeFault({ kind, atMs, forMs, delayMs }: Fault): string {
  const lasting = forMs === 0 ? '' : ` for ${forMs} ms`;
  const slower = kind.startsWith('delay') ? `, ${delayMs} ms each way` : '';
  return `${(atMs / 1_000).toFixed(1).padStart(6)} s  ${kind}${lasting}${slower}`;
}
