import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findProblems, readShapes, type Shapes, withNewVersions } from './event-shapes.cjs';
import { currentShapes, readRecord } from './stored-events.cjs';

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'florin-event-shapes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A sample of a messages file with one event. */
function shapesOf(data: string, upcasters = ''): Shapes {
  const file = join(folder, 'sample.messages.ts');
  const text = `
    type EventVersions<E> = Record<string, readonly unknown[]> & { events?: E };
    type Amount = string;
    type Opened = { type: 'Opened'; data: ${data} };
    const upcast = (old: unknown) => old;
    export const versions: EventVersions<Opened> = { Opened: [${upcasters}] };`;
  writeFileSync(file, text);
  return readShapes([file], { strict: true, noLib: true, types: [] });
}

describe('Stored events', () => {
  it('have the shapes that are recorded for their versions', () => {
    const recorded = readRecord();
    const current = currentShapes();
    expect(findProblems(recorded, current)).toEqual([]);
    // Otherwise a new version or type is not recorded yet: npm run record:event-shapes
    expect(withNewVersions(recorded, current)).toEqual(recorded);
  });
});

describe('The record of event shapes', () => {
  const released = join(__dirname, 'released');

  it.each(readdirSync(released))('has every version of release %s, unchanged', (file) => {
    // Logs of this release exist: its versions must stay readable, and the record must not be edited instead.
    const shapes = JSON.parse(readFileSync(join(released, file), 'utf8')) as Shapes;
    const recorded = readRecord();
    for (const [type, versions] of Object.entries(shapes)) {
      expect({ [type]: recorded[type] }).toMatchObject({ [type]: versions });
    }
  });
});

describe('The comparison of event shapes', () => {
  const recorded = shapesOf('{ id: string; amount?: string }');

  it.each([
    ['an alias, readonly and another order', '{ readonly amount?: Amount; readonly id: string }'],
    ['an explicit undefined', '{ id: string; amount?: string | undefined }'],
  ])('ignores %s', (_, data) => {
    expect(findProblems(recorded, shapesOf(data))).toEqual([]);
  });

  it.each([
    ['a new field', '{ id: string; amount?: string; fee: string }'],
    ['a removed field', '{ id: string }'],
    ['another type', '{ id: string; amount?: number }'],
    ['a field that became required', '{ id: string; amount: string }'],
    ['another type deep inside', '{ id: string; amount?: { value: string } }'],
  ])('reports %s without a new version', (_, data) => {
    expect(findProblems(recorded, shapesOf(data))).toEqual([
      expect.stringMatching(/Opened version 1 has changed its shape.*Append an upcaster/),
    ]);
  });

  it('accepts a new version and keeps the recorded one', () => {
    const next = shapesOf('{ id: string; fee: string }', 'upcast');
    expect(findProblems(recorded, next)).toEqual([]);
    expect(withNewVersions(recorded, next)).toEqual({ Opened: { ...recorded['Opened'], ...next['Opened'] } });
  });

  it('reports a version that is lower than the recorded one', () => {
    const [first, second] = [recorded, shapesOf('{ id: string }', 'upcast')];
    expect(findProblems(withNewVersions(first, second), first)).toEqual([
      expect.stringMatching(/Restore its upcasters/),
    ]);
  });

  it('reports an event type that is missing', () => {
    expect(findProblems(recorded, {})).toEqual([expect.stringMatching(/Opened.*must stay readable/)]);
  });
});

describe('Deciders with snapshots', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'libs'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n');
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const snapshotted = files.filter((file) => file.endsWith('.decider.ts') && /^ {2}stateVersion:/m.test(read(file)));

  it.each(snapshotted)('%s has a spec that pins its state', (decider) => {
    const spec = decider.replace('.decider.ts', '-snapshot.spec.ts');
    expect(files).toContain(spec);
    expect(read(spec)).toContain('expectPinnedState(');
  });
});
