import type { RecordedEvent, ScannableStore } from '@florin/event-sourcing';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exportLog } from './export-log';
import type { ExportScope } from './export-tables';

const recorded = resolve(__dirname, '../../../../tools/recorded-logs/unreleased.jsonl');
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

type Line = Omit<RecordedEvent, 'position'>;

/** What the first account of a recorded log did. */
const lines = readFileSync(recorded, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line)
  .filter(({ stream }) => !/^(product|operators|approval)-/.test(stream));
const account = lines.find(({ stream }) => stream.startsWith('account-'))!.stream.slice('account-'.length);
const first = account.slice(0, 36);

/** The same with other IDs, so that its hash chains are broken, and with wrong amounts. */
const otherId = (id: string): string => id.replace(/[0-9a-f]/g, (digit) => (15 - parseInt(digit, 16)).toString(16));
const second = otherId(first);
const others = lines.map((line): Line => {
  const rename = (text: string): string => text.replaceAll(uuid, otherId).replaceAll('Acme', 'Umbrella');
  const data = rename(line.data).replace(/"(available|balance)":"\d+\.\d\d"/g, '"$1":"0.07"');
  return { ...line, stream: rename(line.stream), id: rename(line.id), data, metadata: rename(line.metadata) };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-scope-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function exported(log: readonly Line[], scope: ExportScope) {
  const events = log.map((line, index): RecordedEvent => ({ ...line, position: BigInt(index + 1) }));
  const end = BigInt(events.length);
  const store: ScannableStore = {
    head: async () => end,
    readAll: async () => ({ events, readTo: end, isLast: true }),
  };
  const report = await exportLog(store, {
    ...{ folder, asOf: 'now', end, fourEyesAmount: undefined, checkpoint: null, report: () => undefined, ...scope },
  });
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return { report, text: files.join('\n') };
}

const idsOf = (log: readonly Line[]): ReadonlySet<string> =>
  new Set(log.flatMap(({ stream, data }) => `${stream} ${data}`.match(uuid) ?? []));

describe('The export of one company', () => {
  /** An order of the first company that names the account of the second one. */
  const misdirected = lines.map((line) =>
    line.type === 'OperationQueued' ? { ...line, data: line.data.replaceAll(account, otherId(account)) } : line,
  );

  it('names no object of another one, also not in findings', async () => {
    const { report, text } = await exported([...misdirected, ...others], { company: first });
    for (const id of idsOf(others)) expect(text).not.toContain(id);
    expect(text).not.toContain('Umbrella');
    expect(report.findings).toContainEqual({
      at: expect.stringMatching(/^operation-/),
      text: expect.stringContaining('but the order names (outside the scope)'),
    });
    const brokenInOther = { at: `position ${lines.length + 1}`, text: expect.stringMatching(/^the event does not/) };
    expect(report.findings).toContainEqual(brokenInOther);
  });

  it('has the findings about its own objects', async () => {
    const { report, text } = await exported([...lines, ...others], { company: second });
    for (const id of idsOf(lines)) expect(text).not.toContain(id);
    const texts = report.findings.map(({ at, text: found }) => `${at}: ${found}`);
    expect(texts).toContainEqual(expect.stringMatching(new RegExp(`^account-${second}-sandbox@0: .*records 0.07`)));
  });

  it('names no object of another environment', async () => {
    const { report, text } = await exported([...lines, ...others], { environment: 'live' });
    for (const id of [account, otherId(account)]) expect(text).not.toContain(id);
    expect(report.findings.map(({ at }) => at).filter((at) => !/^(position|company-)|-live@/.test(at))).toEqual([]);
  });
});

it('has all findings in an export of all companies', async () => {
  const { report } = await exported([...lines, ...others], {});
  expect(report.findings.some(({ at }) => at.includes(second))).toBe(true);
});
