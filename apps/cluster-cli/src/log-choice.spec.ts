import { readLogChoice } from './log-choice';

describe('the choice of logs', () => {
  it.each([
    ['all', 'ledger-1', 'debug', true],
    ['none', 'ledger-1', 'fatal', false],
    ['none', 'cluster', 'info', true],
    ['warn', 'kafka', 'warn', true],
    ['warn', 'ledger-1', 'info', false],
    ['ledger', 'ledger-2', 'info', true],
    ['ledger', 'operations-1', 'error', false],
    ['ledger-2', 'ledger-2', 'info', true],
    ['ledger-2', 'ledger-1', 'info', false],
    ['ledger,warn', 'operations-1', 'error', true],
    ['ledger, warn', 'operations-1', 'info', false],
    ['tron-watcher', 'tron-watcher-1', 'info', true],
    ['postgres', 'postgres', 'info', true],
  ] as const)('%s: of %s, %s is shown: %s', (text, service, level, isShown) => {
    expect(readLogChoice(text).shows(service, level)).toBe(isShown);
  });

  it.each(['', 'all,ledger', 'everything', 'ledger-', 'ledger-x', 'tron'])('refuses "%s"', (text) => {
    expect(() => readLogChoice(text)).toThrow('--logs must be all, none, warn, or names');
  });
});
