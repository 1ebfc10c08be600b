import { pathOf } from './florin-command';
import { runnableCommands } from './florin-help';
import { testProgram } from './testing/test-program';

/** What commands of a group begin with. A new command uses one of these if it can. */
const verbs = new Set([
  ...['list', 'show', 'create', 'set', 'rotate', 'revoke', 'disable', 'verify', 'check', 'grant'],
  ...['activate', 'deactivate', 'resolve', 'confirm', 'withdraw', 'erase', 'certify'],
  ...['quote', 'freeze', 'unfreeze', 'close', 'cancel', 'pay', 'resend', 'copy', 'migrate'],
]);

describe('The names of commands', () => {
  const commands = runnableCommands(testProgram()).map(pathOf);

  it('are a noun and a verb of one list', () => {
    const inGroups = commands.map((path) => path.split(' ').slice(1)).filter((words) => words.length > 1);
    expect(inGroups.filter(([, name]) => !verbs.has(name!.split('-')[0]!))).toEqual([]);
  });

  it('use every verb of the list', () => {
    const used = new Set(commands.map((path) => path.split(' ').at(-1)!.split('-')[0]!));
    expect([...verbs].filter((verb) => !used.has(verb))).toEqual([]);
  });
});
