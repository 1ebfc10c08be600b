import type { EventTexts } from './pack-event';
import { type EventUnpacker, UnknownPacking } from './unpack-event';

/** Data and metadata as earlier releases stored them, or the packed bytes as hexadecimal digits and null. */
export type StoredContents = [data: string, metadata: string | null];

/** The columns of `StoredContents`. Digits, because `pg` reads all columns as texts. */
export function contentColumns(table: string): string {
  return `coalesce(${table}.data, encode(${table}.packed, 'hex')) AS data, ${table}.metadata`;
}

/** Throws `UnknownPacking`. */
export function unpackContents(
  unpacker: EventUnpacker,
  stream: string,
  data: string,
  metadata: string | null,
): EventTexts {
  return metadata === null ? unpacker.unpack(stream, data) : { data, metadata };
}

/**
 * Contents that cannot be unpacked are read as texts that are no JSON, and say why. So the event is handled like one whose texts were
 * damaged: `verify` and `audit` name it, and nothing is derived from it. The error of `JSON.parse` shows up to 20 characters.
 */
export function readContents(
  unpacker: EventUnpacker,
  stream: string,
  data: string,
  metadata: string | null,
): EventTexts {
  try {
    return unpackContents(unpacker, stream, data, metadata);
  } catch (error) {
    if (!(error instanceof UnknownPacking)) throw error;
    return { data: error.message, metadata: error.message };
  }
}
