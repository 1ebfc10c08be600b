import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import type { ArchiveOptions } from '../event-log/run-archive';

const help = `
Moves ended operations, claimed transactions, quotes and complete segments of the chain from the database to compressed files, which are
linked by hashes and signed if there is a signing key. Florin can run meanwhile, and reads these files like the database: repeated
requests, verify, audit, explain and replay return the same as before. All services need the folder (ARCHIVE_DIR), and backups
must contain it. Events are deleted only after their file was written, read back and recorded. After an interruption, run it again.

Exit codes: 0 done, 2 wrong usage, 3 could not run or was interrupted.`;

export function addArchiveCommand(program: Command, context: CliContext): void {
  program
    .command('archive')
    .description('Move closed streams of the log to archive files, on DATABASE_URL or the data folder.')
    .requiredOption('--older-than <days>', 'streams whose newest event is older, such as 400d')
    .option('--to <folder>', 'where the files go (default: ARCHIVE_DIR, or the folder archive in the data folder)')
    .option('--dry-run', 'only count what would be archived')
    .addHelpText('after', help)
    .action(async (options: ArchiveOptions) => {
      const { runArchive } = await import('../event-log/run-archive');
      await runArchive(context, options);
    });
}
