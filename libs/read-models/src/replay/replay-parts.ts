import type { Position } from '@florin/event-sourcing';
import type { ReplayRun } from './replay-tables';

/** Some of the read models of a replay, for another thread. Plain data. */
export interface ReplayPart {
  readonly readModels: readonly string[];
  readonly schema: string;
  /** The run that the thread belongs to, which fences off others. */
  readonly run: ReplayRun;
  readonly end: Position;
}

/** How far a read model of the part is. */
export interface PartProgress {
  readonly name: string;
  readonly position: Position;
  readonly events: number;
  readonly seconds: number;
}

/**
 * Rebuilds a part up to its end, at the same time as others. It may fail or end early: the replay itself continues what it has
 * not committed.
 */
export type ReplayWorker = (
  part: ReplayPart,
  report: (progress: readonly PartProgress[]) => void,
  signal: AbortSignal,
) => Promise<void>;

interface Named {
  readonly name: string;
}

/** The read models with the most events, largest first. */
const largest = ['operations', 'account-entries', 'cards'];

/** Divides the builds into at most so many parts. */
export function divide<Build extends Named>(builds: readonly Build[], parts: number): readonly (readonly Build[])[] {
  const sorted = [...builds].sort((one, other) => rankOf(one) - rankOf(other));
  const divided = Array.from({ length: Math.min(parts, builds.length) }, (): Build[] => []);
  // 0, 1, 1, 0, 0, 1 for two parts: the largest and the third largest are not together.
  for (const [index, build] of sorted.entries()) {
    const round = Math.floor(index / divided.length);
    const place = index % divided.length;
    divided[round % 2 === 0 ? place : divided.length - 1 - place]!.push(build);
  }
  return divided;
}

function rankOf({ name }: Named): number {
  const rank = largest.indexOf(name);
  return rank < 0 ? largest.length : rank;
}
