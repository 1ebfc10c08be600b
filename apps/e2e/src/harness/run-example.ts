import { transformSync } from '@swc/core';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFlorinFolder } from './florin-folder';
import { inheritedEnv, root } from './florin-process';

/**
 * Runs all code blocks of a Markdown file with this info string as one program, with the compiled packages, and returns the
 * lines that it prints. The program finds the address and the key in its environment and in `.florin/credentials.json`.
 */
export function runExample(file: string, fence: string, baseUrl: string, apiKey: string): readonly string[] {
  const folder = newFlorinFolder({ baseUrl, companies: [{ keys: { sandbox: apiKey } }] });
  try {
    writeFileSync(join(folder, 'example.mjs'), programIn(file, fence));
    const env = { ...inheritedEnv(), FLORIN_URL: baseUrl, FLORIN_API_KEY: apiKey };
    const output = execFileSync(process.execPath, ['example.mjs'], { cwd: folder, env, encoding: 'utf8' });
    return output.trimEnd().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function programIn(file: string, fence: string): string {
  const blocks = readFileSync(join(root, file), 'utf8').matchAll(new RegExp(`^\`\`\`${fence}\n([^]*?)^\`\`\`$`, 'gm'));
  const program = [...blocks].map(([, block]) => block).join('\n');
  return transformSync(program, {
    configFile: false,
    filename: 'example.ts',
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  }).code;
}
