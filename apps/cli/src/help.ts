import type { Command, CommandOption } from './command';

export const globalOptions: Readonly<Record<string, CommandOption>> = {
  url: {
    value: 'address',
    description: 'where Florin runs (default: as in credentials.json, or http://127.0.0.1:3000)',
  },
  token: {
    value: 'token',
    description: 'the operator token (default: FLORIN_OPERATOR_TOKEN, or as in credentials.json)',
  },
  json: { description: 'print JSON, for programs' },
  help: { description: 'tell how to use the command' },
};

export function helpOn(command: Command): string {
  const words = [callOf(command), '[options]'];
  const own = Object.keys(command.options).length === 0 ? [] : ['', 'Options:', ...optionLines(command.options)];
  const details = command.details === undefined ? [] : ['', command.details];
  return [
    `florin ${words.join(' ')}`,
    '',
    command.summary,
    ...details,
    ...own,
    '',
    'Always:',
    ...optionLines(globalOptions),
  ].join('\n');
}

export function overview(commands: readonly Command[]): string {
  const calls = commands.map(callOf);
  const width = Math.max(...calls.map((call) => call.length));
  return [
    'florin <command> [options]',
    '',
    'Commands:',
    ...commands.map(({ summary }, index) => `  ${calls[index]!.padEnd(width)}  ${summary}`),
    '',
    'Always:',
    ...optionLines(globalOptions),
    '',
    '`florin <command> --help` tells more. For programs: `npm run --silent florin -- <command> --json`.',
    'It ends with 0 when done, 1 when that failed or found something wrong, and 2 when it was called wrongly.',
  ].join('\n');
}

function callOf({ words, arguments: names, repeated }: Command): string {
  const more = repeated === undefined ? [] : [`[<${repeated}> ...]`];
  return [words, ...names.map((name) => `<${name}>`), ...more].join(' ');
}

function optionLines(options: Readonly<Record<string, CommandOption>>): readonly string[] {
  const calls = Object.entries(options).map(([name, { value }]) => `--${name}${value ? ` <${value}>` : ''}`);
  const width = Math.max(...calls.map((call) => call.length));
  return Object.values(options).map(({ description }, index) => `  ${calls[index]!.padEnd(width)}  ${description}`);
}
