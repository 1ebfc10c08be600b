import { createLog } from './log';
import { terminalLines } from './terminal-lines';

it('writes lines that a person can read, errors with their stack', () => {
  let text = '';
  const log = createLog(
    'info',
    terminalLines((line) => (text += line)),
  );
  log.info({ baseUrl: 'http://127.0.0.1:3000', checks: [1] }, 'Florin is ready');
  log.error({ err: new Error('broken'), token: 'secret' }, 'It failed');
  const plain = text.replace(/\u001b\[\d+m/g, '');
  expect(plain).toMatch(/^\d\d:\d\d:\d\d info Florin is ready baseUrl=http:\/\/127.0.0.1:3000 checks=\[1\]\n/);
  expect(plain).toMatch(/error It failed token=\[redacted\]\nError: broken\n +at /);
});
