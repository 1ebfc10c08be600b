import type { Random } from '../random';
import type { FaultKind } from './fault-kinds';

export interface Fault {
  readonly kind: FaultKind;
  /** Milliseconds after the load has started. */
  readonly atMs: number;
  /** How long it lasts; 0 for a fault without a duration. */
  readonly forMs: number;
  /** For a delay: the added latency. */
  readonly delayMs: number;
  /** From 0 to 1, scaled to the number of possible targets, which the schedule does not know. */
  readonly target: number;
}

export interface ScheduleOptions {
  readonly kinds: readonly FaultKind[];
  readonly durationMs: number;
}

/** The first fault hits a busy system, and the last one ends before the load does. */
const leadInMs = 2_000;
const leadOutMs = 3_000;
const maxFaults = 1_000;

const durationsMs: Readonly<Record<FaultKind, readonly [number, number]>> = {
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
  'kill-event-store': [100, 3_000],
  'pause-event-store': [1_000, 30_000],
  'fill-event-store': [2_000, 8_000],
  'cut-event-store': [0, 0],
  'refuse-event-store': [300, 4_000],
  'delay-event-store': [1_000, 5_000],
  'empty-event-store': [2_000, 8_000],
  'restore-event-store': [2_000, 8_000],
  'pause-follower-event-store': [2_000, 10_000],
};
const delaysMs = [200, 2_000] as const;

/** Some faults overlap, but most hit a system that has recovered: one that never works cannot lose anything. */
const shortPauseMs = [200, 1_500] as const;
const longPauseMs = [4_000, 9_000] as const;
const shortPauseShare = 0.4;

/** Derives all faults from the seed. Each round contains every kind once. */
export function planFaults(random: Random, { kinds, durationMs }: ScheduleOptions): Fault[] {
  const faults: Fault[] = [];
  let round: FaultKind[] = [];
  const lastMs = durationMs - leadOutMs;
  const pauseMs = (): number => {
    const [min, max] = random.chance(shortPauseShare) ? shortPauseMs : longPauseMs;
    return random.between(min, max);
  };
  for (let atMs = leadInMs; atMs < lastMs && faults.length < maxFaults; atMs += pauseMs()) {
    if (round.length === 0) round = random.shuffled(kinds);
    const kind = round.pop();
    if (kind === undefined) break;
    const forMs = Math.min(random.between(...durationsMs[kind]), durationMs - atMs);
    faults.push({ kind, atMs, forMs, delayMs: random.between(...delaysMs), target: random.next() });
    // These last long, and nothing can be written meanwhile.
    if (kind.endsWith('-event-store')) atMs += forMs;
  }
  return faults;
}

export function describeFault({ kind, atMs, forMs, delayMs }: Fault): string {
  const lasting = forMs === 0 ? '' : ` for ${forMs} ms`;
  const slower = kind.startsWith('delay') ? `, ${delayMs} ms each way` : '';
  return `${(atMs / 1_000).toFixed(1).padStart(6)} s  ${kind}${lasting}${slower}`;
}
