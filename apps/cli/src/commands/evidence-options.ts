import type { Command } from 'commander';

/** The options of the commands that compare the log with its signed checkpoints. */
export function addEvidenceOptions(command: Command): Command {
  return command
    .option('--checkpoints <source>', 'signed checkpoints: a sink (file or URL), or `stored` for those in the database')
    .option(
      '--public-key <keys>',
      'accepted keys: a PEM file, or base64 (default: LOG_PUBLIC_KEYS, LOG_SIGNING_KEY, the data folder, or the first key in the sink)',
    );
}
