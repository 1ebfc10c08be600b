import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/**
 * Lints texts as if they stood in files of this workspace: reads `[{file, text}]` from its input and prints the broken
 * rules of each. No such file exists, so the rules that ask the type checker are left out.
 */
const eslint = new ESLint({ overrideConfig: { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked } });

const verdicts = [];
for (const { file, text } of JSON.parse(readFileSync(0, 'utf8'))) {
  const [result] = await eslint.lintText(text, { filePath: file });
  verdicts.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
}
console.log(JSON.stringify(verdicts));
