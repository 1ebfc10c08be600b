import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideJars } from './kafka-distribution';
import { BROKER_PATIENCE_MS } from './testing';

jest.setTimeout(BROKER_PATIENCE_MS);

describe('the Kafka in the cache', () => {
  const cache = mkdtempSync(join(tmpdir(), 'florin-kafka-cache-'));

  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it('is fetched once, even when two want it at the same time', async () => {
    const told: string[] = [];
    const provide = () => provideJars(cache, (line) => told.push(line));
    const [first, second] = await Promise.all([provide(), provide()]);
    expect(second).toEqual(first);
    expect(told.filter((line) => line.startsWith('Fetching Apache Kafka'))).toHaveLength(1);
    expect(readdirSync(cache)).toEqual([`kafka-${first.version}`]);
    expect(readdirSync(first.folder)).toContain(`kafka_2.13-${first.version}.jar`);

    told.length = 0;
    expect(await provide()).toEqual(first);
    expect(told).toEqual([]);
  });
});
