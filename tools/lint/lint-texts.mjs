import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/**
 * Lints texts as if they were files of this workspace: reads `[{file, text}]` from standard input and prints the violated rules
 * of each. The files do not exist, so rules that need the type checker are off.
 */
const eslint = new ESLint({ overrideConfig: { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked } });

const verdicts = [];
for (const { file, text } of JSON.parse(readFileSync(0, 'utf8'))) {
  const [result] = await eslint.lintText(text, { filePath: file });
  verdicts.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
}
console.log(JSON.stringify(verdicts));
