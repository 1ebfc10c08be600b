import type { Cluster } from '@florin/dev-platform';
import { join } from 'node:path';

/** The running processes, as a table. */
export function processTable({ services, backingServices }: Cluster): string {
  const rows = [
    ...backingServices.map(({ name, state, pid }) => [name, state, String(pid), '']),
    ...services.map(({ name, state, pid, url }) => [name, state, String(pid), url]),
  ];
  return table([['process', 'state', 'pid', 'health and metrics'], ...rows]);
}

/** The message after the start. */
export function readyMessage({ baseUrl }: Cluster, dataDirectory: string, seconds: number): string {
  return (
    `Florin is ready at ${baseUrl} after ${seconds.toFixed(1)} s; the API reference is at ${baseUrl}/reference, ` +
    `the keys are in ${join(dataDirectory, 'credentials.json')}. Ctrl-C stops everything.`
  );
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}
