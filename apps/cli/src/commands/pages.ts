import type { Command } from 'commander';

/** The options of every command that lists results in pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'results per page, 1 to 100 (default: 50)')
    .option('--cursor <cursor>', 'start of the page, as the previous page printed it');
}

export function withQuery(path: string, options: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(options);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
