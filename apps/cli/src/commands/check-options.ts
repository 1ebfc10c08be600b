import type { Command } from 'commander';

const help = `
Only reads, also beside a running Florin, on a read-only replica or on a restored backup.

Exit codes: 0 correct, 1 problems found, 2 wrong usage, 3 could not run or was interrupted (wrong or unreachable database,
an empty log, no right to read): there is no result.`;

/** The options of the commands that check the log and compare it with its signed checkpoints. */
export function addCheckOptions(command: Command): Command {
  return command
    .option('--checkpoints <source>', 'signed checkpoints: a sink (file or URL), or `stored` for those in the database')
    .option(
      '--public-key <keys>',
      'accepted keys: a PEM file, or base64 (default: LOG_PUBLIC_KEYS, LOG_SIGNING_KEY, the data folder, or the first key in the sink)',
    )
    .option('--result <file>', 'write a signed result, from which later runs continue; continues an interrupted run')
    .option('--since <file>', 'continue from this result: read only the events after it')
    .option(
      '--signing-key <file>',
      'the Ed25519 key that signs the result or the manifest (default: LOG_SIGNING_KEY, or the data folder)',
    )
    .option('--metrics <target>', 'where the metrics of the result go: a file, or an HTTP address (Pushgateway)')
    .option('--quiet', 'no progress on stderr')
    .addHelpText('after', help);
}
