/**
 * The blocks of one stream. Cut into segments, no stream of the chain grows for ever; a segment is about three and a half days
 * of TRON.
 */
const blocksPerSegment = 100_000;

/** The stream that holds where the chain was begun. */
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
