import { temporaryDataDirectory } from '@florin/database';
import { LogSigningKey, parseCheckpoint, toCheckpointJson } from '@florin/event-sourcing';
import { sealedLog, signLog } from '@florin/event-sourcing/testing';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCheckpointSink } from './checkpoint-sink';
import { FileCheckpointSink } from './file-checkpoint-sink';

const folder = temporaryDataDirectory('florin-sink-');
afterAll(() => rmSync(folder, { recursive: true }));

const events = sealedLog(
  Array.from({ length: 60 }, (_, index) => ({ stream: 'note-1', id: `${index}`, type: 'Noted', data: '{}' })),
);
const counts = events.map((_, index) => index + 1);
const signed = signLog(events, counts, LogSigningKey.generate());
const all = signed.map((checkpoint) => toCheckpointJson(checkpoint));

describe('FileCheckpointSink', () => {
  it('appends lines and finds the last one', async () => {
    const path = join(folder, 'appended.jsonl');
    const sink = new FileCheckpointSink(path);
    expect(await sink.last()).toBeUndefined();
    await sink.write(all.slice(0, 1));
    await sink.write(all.slice(1));
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => parseCheckpoint(JSON.parse(line)))).toEqual(signed);
    expect(await openCheckpointSink(`file:${path}`).last?.()).toEqual(signed.at(-1));
  });

  it('continues on a new line after a crash cut a line off', async () => {
    const path = join(folder, 'torn.jsonl');
    const text = JSON.stringify(all[1]);
    await new FileCheckpointSink(path).write(all.slice(0, 1));
    appendFileSync(path, text.slice(0, 50));
    const sink = new FileCheckpointSink(path);
    expect((await sink.last())?.number).toBe(1);
    await sink.write(all.slice(1, 2));
    expect(readFileSync(path, 'utf8').split('\n').slice(1)).toEqual([text.slice(0, 50), text, '']);
    writeFileSync(path, text.slice(0, 50));
    expect(await new FileCheckpointSink(path).last()).toBeUndefined();
  });

  it('rejects a file with other contents', async () => {
    const path = join(folder, 'other.txt');
    writeFileSync(path, 'Dear diary\n');
    await expect(new FileCheckpointSink(path).last()).rejects.toThrow('does not end with a log checkpoint');
  });
});
