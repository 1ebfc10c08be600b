/**
 * The blocks of one stream. Cut into eras, no stream of the chain grows for ever; an era is about three and a half days
 * of TRON.
 */
const blocksPerEra = 100_000;

/** The stream that holds where the chain was begun. */
export const startStreamId = 'start';

export function eraOf(block: number): number {
  return Math.floor(block / blocksPerEra);
}

export function firstBlockOf(era: number): number {
  return era * blocksPerEra;
}

export function lastBlockOf(era: number): number {
  return firstBlockOf(era + 1) - 1;
}
