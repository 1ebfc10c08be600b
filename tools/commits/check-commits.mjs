/** Checks the messages of all commits after the first ones, which predate the rule. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const lastUnchecked = '74d62d868e5da2e71233206ddd903bbbf696040a';

const isInHistory = spawnSync('git', ['merge-base', '--is-ancestor', lastUnchecked, 'HEAD']).status === 0;
if (isInHistory) {
  const commitlint = join(createRequire(import.meta.url).resolve('@commitlint/cli/package.json'), '../cli.js');
  const args = ['--config', 'tools/commits/commitlint.config.mjs', '--from', lastUnchecked, '--to', 'HEAD'];
  process.exitCode = spawnSync(process.execPath, [commitlint, ...args], { stdio: 'inherit' }).status ?? 1;
} else {
  console.log(`Skipped the check of commit messages: this checkout has no Git history back to ${lastUnchecked}.`);
}
