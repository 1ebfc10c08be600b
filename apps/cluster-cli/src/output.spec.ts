import { JsonOutput } from './json-output';
import { readLogChoice } from './log-choice';
import { TerminalOutput } from './terminal-output';

const logged = '{"level":"info","time":"2026-01-02T03:04:05.678Z","partition":3,"msg":"Joined"}';

describe('cluster output', () => {
  describe('JsonOutput', () => {
    function collect(logs = 'all') {
      const lines: string[] = [];
      return { output: new JsonOutput(readLogChoice(logs), (text) => lines.push(text)), lines };
    }

    it('adds the service name to log lines', () => {
      const { output, lines } = collect();
      output.line('ledger-1', logged);
      expect(lines).toEqual([`{"service":"ledger-1",${logged.slice(1)}\n`]);
      expect(JSON.parse(lines[0]!)).toEqual({ service: 'ledger-1', ...JSON.parse(logged) });
    });

    it('converts all other output to JSON', () => {
      const { output, lines } = collect();
      output.line('ledger-1', 'PORT must be a number');
      output.line('kafka', 'ERROR Log: disk full');
      output.state('ledger-1', 'crashed');
      output.info('Stopping');
      output.fail('Port 3000 is in use');
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { service: 'ledger-1', level: 'warn', msg: 'PORT must be a number' },
        { service: 'kafka', level: 'error', msg: 'ERROR Log: disk full' },
        { service: 'cluster', level: 'warn', process: 'ledger-1', state: 'crashed' },
        { service: 'cluster', level: 'info', msg: 'Stopping' },
        { service: 'cluster', level: 'fatal', msg: 'Port 3000 is in use' },
      ]);
    });

    it('omits lines that were not selected, but always prints states', () => {
      const { output, lines } = collect('none');
      output.line('ledger-1', logged);
      output.state('ledger-1', 'ready');
      expect(lines).toHaveLength(1);
    });
  });

  describe('TerminalOutput', () => {
    function collect(logs = 'all') {
      const lines: string[] = [];
      const plain = (text: string) => text.replace(/\u001b\[\d+m/g, '');
      return { output: new TerminalOutput(readLogChoice(logs), (text) => lines.push(plain(text))), lines };
    }

    it('formats log lines and states', () => {
      const { output, lines } = collect();
      output.line('ledger-1', logged);
      output.line('kafka', 'INFO Started');
      output.state('ledger-1', 'ready');
      expect(lines).toEqual([
        expect.stringMatching(/^\[\d\d:\d\d:05\] INFO: ledger-1 Joined \{"partition":3\}\n$/),
        expect.stringMatching(/^\[[\d:]+\] INFO: kafka INFO Started\n$/),
        expect.stringMatching(/^\[[\d:]+\] INFO: cluster ledger-1 is ready\n$/),
      ]);
    });

    it('shows the stack of an error', () => {
      const { output, lines } = collect();
      output.line('ledger-1', '{"level":"error","msg":"Lost","err":{"stack":"Error: gone\\n    at x.ts:1"}}');
      expect(lines[0]).toContain('ERROR: ledger-1 Lost');
      expect(lines[0]).toMatch(/Error: gone\n +at x\.ts:1\n/);
    });

    it('omits lines that were not selected', () => {
      const { output, lines } = collect('warn');
      output.line('ledger-1', logged);
      output.line('ledger-1', 'PORT must be a number');
      expect(lines).toEqual([expect.stringContaining('PORT must be a number')]);
    });
  });
});
