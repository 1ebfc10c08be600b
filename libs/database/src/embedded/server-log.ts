import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const ROTATE_AT_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 2_000;

/** Keeps at most two log files, so that a noisy server cannot fill the disk. */
export function rotateLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > ROTATE_AT_BYTES) renameSync(logFile, `${logFile}.1`);
}

/** The last lines of the log, for error messages. */
export function tailOf(logFile: string): string {
  try {
    const descriptor = openSync(logFile, 'r');
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - start);
    readSync(descriptor, buffer, 0, buffer.length, start);
    closeSync(descriptor);
    return buffer.toString('utf8').trim() || '(nothing)';
  } catch {
    return '(no log)';
  }
}
