import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideJars } from './kafka-distribution';
import { BROKER_TIMEOUT_MS } from '../testing';

jest.setTimeout(BROKER_TIMEOUT_MS);

describe('the Kafka download', () => {
  const cache = mkdtempSync(join(tmpdir(), 'florin-kafka-cache-'));

  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it('happens once, even when two callers need it at the same time', async () => {
    const logged: string[] = [];
    const provide = () => provideJars(cache, (line) => logged.push(line));
    const [first, second] = await Promise.all([provide(), provide()]);
    expect(second).toEqual(first);
    expect(logged.filter((line) => line.startsWith('Downloading Apache Kafka'))).toHaveLength(1);
    expect(readdirSync(cache)).toEqual([`kafka-${first.version}`]);
    expect(readdirSync(first.folder)).toContain(`kafka_2.13-${first.version}.jar`);

    logged.length = 0;
    expect(await provide()).toEqual(first);
    expect(logged).toEqual([]);
  });
});
