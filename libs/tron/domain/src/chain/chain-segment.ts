/**
 * Each stream stores one segment of the chain, so that no stream grows without limit. A segment is about three and a half
 * days of TRON.
 */
const blocksPerSegment = 100_000;

/** The stream of the start block. */
export const startStreamId = 'start';

export function segmentOf(block: number): number {
  return Math.floor(block / blocksPerSegment);
}

export function firstBlockOf(segment: number): number {
  return segment * blocksPerSegment;
}

export function lastBlockOf(segment: number): number {
  return firstBlockOf(segment + 1) - 1;
}
