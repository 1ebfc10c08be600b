/** Lists avoided words: `node tools/language/check-language.mjs [files or folders]`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findAvoidedWords, isChecked } from './find-avoided-words.mjs';

/** The vocabulary and the glossary contain the words, and published migrations do not change. */
const exempt = /^(tools\/language\/|docs\/GLOSSARY\.md$|libs\/database\/prisma\/migrations\/)/;

const options = ['ls-files', '--cached', '--others', '--exclude-standard', '--'];
const files = execFileSync('git', [...options, ...process.argv.slice(2)], { encoding: 'utf8' }).split('\n');
const found = files
  .filter((file) => isChecked(file) && !exempt.test(file) && existsSync(file))
  .flatMap((file) => findAvoidedWords(file, readFileSync(file, 'utf8')));

for (const line of found) console.log(line);
if (found.length > 0) console.error(`Found ${found.length} avoided words. docs/GLOSSARY.md explains the vocabulary.`);
process.exitCode = found.length > 0 ? 1 : 0;
