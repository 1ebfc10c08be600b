import { ScanReporter } from './scan-progress';

const head = 1_000_000n;

function reporterOn(output: { isTerminal: boolean }) {
  let now = 0;
  const lines: string[] = [];
  const statuses: string[] = [];
  const reporter = new ScanReporter(
    'Audited',
    {
      report: (text) => void lines.push(text),
      showStatus: (text) => {
        if (output.isTerminal) statuses.push(text);
        return output.isTerminal;
      },
    },
    () => now,
  );
  const scanned = (events: number, atMs: number): void => {
    now = atMs;
    reporter.scanned({ events, readTo: BigInt(events), head });
  };
  return { reporter, scanned, lines, statuses };
}

describe('The progress of a scan', () => {
  it('is one line every five seconds and one at the end', () => {
    const { scanned, lines } = reporterOn({ isTerminal: false });
    for (const second of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) scanned(second * 50_000, second * 1_000);
    scanned(Number(head), 10_500);
    expect(lines).toEqual([
      'Audited 250000 events, up to position 250000 of 1000000, 25 % of the log, 50000 events/s, about 15 s left',
      'Audited 500000 events, up to position 500000 of 1000000, 50 % of the log, 50000 events/s, about 10 s left',
      'Audited 1000000 events, up to position 1000000 of 1000000, 100 % of the log, 95238 events/s, about 0 s left',
    ]);
  });

  it('replaces one line of a terminal after each page, and clears it', () => {
    const { reporter, scanned, lines, statuses } = reporterOn({ isTerminal: true });
    scanned(5_000, 0);
    scanned(10_000, 1_000);
    reporter.continuedWith('Comparing');
    reporter.close();
    expect(lines).toEqual([]);
    expect(statuses).toEqual([
      'Audited 5000 events, up to position 5000 of 1000000, 0 % of the log',
      'Audited 10000 events, up to position 10000 of 1000000, 1 % of the log, 10000 events/s, about 99 s left',
      'Comparing',
      '',
    ]);
  });
});
