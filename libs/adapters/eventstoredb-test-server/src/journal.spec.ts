import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal';
import { type StoredEvents, type ProposedEvent, StoredLog } from './stored-log';

describe('A journal', () => {
  let folder: string;
  let file: string;
  const journals: Journal[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'florin-journal-'));
    file = join(folder, 'log.jsonl');
  });
  afterEach(async () => {
    await Promise.all(journals.splice(0).map((journal) => journal.close()));
    await rm(folder, { recursive: true });
  });

  async function open(): Promise<{ journal: Journal; history: StoredEvents; log: StoredLog }> {
    const opened = await Journal.open(file);
    journals.push(opened.journal);
    return { ...opened, log: new StoredLog(opened.history, opened.journal) };
  }

  function event(n: number): ProposedEvent {
    // Invalid UTF-8, which clients may send.
    const data = Uint8Array.of(0xff, 0x0a, n);
    const id = `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`;
    return { id, type: 'Happened', contentType: 'application/octet-stream', data, metadata: Uint8Array.of() };
  }

  const numbersOf = (events: Iterable<{ stream: string; data: Uint8Array }> = []): (number | undefined)[] =>
    [...events].filter(({ stream }) => !stream.startsWith('$')).map(({ data }) => data.at(-1));

  it('stores every byte, including system events', async () => {
    const { log } = await open();
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => log.append(`a-${n % 2}`, 'any', [event(n), event(n + 100)])));
    const before = [...log.from(0n)];
    const { log: again, history } = await open();
    expect([...again.from(0n)]).toEqual(before);
    expect(history.filter(({ stream }) => stream.startsWith('$'))).toHaveLength(2);
    await again.append('a-0', 5, [event(7)]);
    expect(numbersOf((await open()).log.stream('a-0'))).toEqual([2, 102, 4, 104, 6, 106, 7]);
  });

  it.each([1, 10, 200])('truncates an append whose last %i bytes are missing', async (missing) => {
    const { log } = await open();
    await log.append('a-1', 'any', [event(1)]);
    await log.append('a-1', 'any', [event(2), event(3)]);
    const whole = await readFile(file);
    await truncate(file, whole.length - missing);
    const { log: cut } = await open();
    expect(numbersOf(cut.stream('a-1'))).toEqual([1]);
    await cut.append('a-1', 0, [event(4)]);
    expect(numbersOf((await open()).log.stream('a-1'))).toEqual([1, 4]);
  });

  it('refuses to open when a complete line is damaged', async () => {
    const { log } = await open();
    await log.append('a-1', 'any', [event(1)]);
    await appendFile(file, 'nonsense\n');
    await expect(open()).rejects.toThrow(`Line 2 of the journal ${file} is damaged`);
    await writeFile(file, '');
    expect((await open()).history).toEqual([]);
  });

  it('hides events that are not on disk yet', async () => {
    const { log } = await open();
    const end = log.endPosition;
    const appended = log.append('a-1', 'any', [event(1)]);
    expect([log.stream('a-1'), [...log.from(end)], log.endPosition]).toEqual([undefined, [], end]);
    await appended;
    expect(numbersOf(log.from(end))).toEqual([1]);
    expect(numbersOf((await open()).log.stream('a-1'))).toEqual([1]);
  });

  it('returns no outcome based on events that may still be lost', async () => {
    const { log } = await open();
    const settled: string[] = [];
    const note = (name: string) => () => void settled.push(name);
    await Promise.all([
      log.append('a-1', 'no_stream', [event(1)]).then(note('stored')),
      log.append('a-1', 'no_stream', [event(2)]).then(note('conflict')),
      log.append('a-1', 'no_stream', [event(1)]).then(note('repeated')),
    ]);
    expect(settled[0]).toBe('stored');
    expect(numbersOf((await open()).log.stream('a-1'))).toEqual([1]);
  });

  it('rejects appends after a failed write', async () => {
    const { log, journal } = await open();
    await journal.close();
    await expect(log.append('a-1', 'any', [event(1)])).rejects.toThrow('cannot be written');
    await expect(log.append('b-1', 'any', [event(2)])).rejects.toThrow('cannot be written');
    expect(log.stream('a-1')).toBeUndefined();
    journals.length = 0;
    expect(numbersOf((await open()).log.from(0n))).toEqual([]);
  });
});
