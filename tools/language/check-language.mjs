/** Lists avoided words: `node tools/language/check-language.mjs [files or folders]`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findAvoidedWords, isChecked } from './find-avoided-words.mjs';

/** The table itself, the glossary and what was published before cannot avoid the words. */
const exempt = /^(tools\/language\/|docs\/GLOSSARY\.md$|libs\/database\/prisma\/migrations\/)/;

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...process.argv.slice(2)], { encoding: 'utf8' }); // prettier-ignore
const files = listed.split('\n').filter((file) => file !== '' && existsSync(file));
const found = files
  .filter((file) => isChecked(file) && !exempt.test(file))
  .flatMap((file) => findAvoidedWords(file, readFileSync(file, 'utf8')));
for (const line of found) console.log(line);
if (found.length > 0) console.error(`${found.length} avoided words. See docs/GLOSSARY.md.`);
process.exitCode = found.length > 0 ? 1 : 0;
