import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBroker } from './find-broker';
import { KafkaBroker } from './kafka-broker';
import { BROKER_TIMEOUT_MS } from '../testing';
import { TestKafkaClient } from '../testing/kafka-client';
import { KafkaMain } from '../testing/kafka-main';

jest.setTimeout(BROKER_TIMEOUT_MS);

describe('a Kafka broker', () => {
  // The tests share the folder as consecutive runs would; each test stops its broker.
  const dataDirectory = realpathSync(mkdtempSync(join(tmpdir(), 'florin-kafka-')));
  const start = () => KafkaBroker.start({ dataDirectory });

  afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

  it('stores and delivers messages, and keeps data and address when it is killed', async () => {
    const broker = await start();
    const { address, pid } = broker;
    const client = new TestKafkaClient(address);
    await client.createTopic('notes');
    await client.send('notes', 'written before the kill');
    expect(await client.receive('notes', 1)).toEqual(['written before the kill']);

    await broker.kill();
    expect(findBroker(dataDirectory)).toBeUndefined();
    await broker.restart();
    expect(broker.address).toBe(address);
    expect(broker.pid).not.toBe(pid);
    await client.send('notes', 'written after it');
    expect(await client.receive('notes', 2)).toEqual(['written before the kill', 'written after it']);
    await broker.stop();
  });

  it('keeps its data when it is stopped, and leaves nothing else in its folder', async () => {
    const broker = await start();
    await broker.stop();
    expect(findBroker(dataDirectory)).toBeUndefined();
    await broker.restart();
    expect(await new TestKafkaClient(broker.address).receive('notes', 2)).toHaveLength(2);
    await broker.stop();
    expect(readdirSync(dataDirectory)).toEqual(['storage']);
  });

  it('creates no topics automatically and listens on one loopback address only', async () => {
    const broker = await start();
    await expect(new TestKafkaClient(broker.address).send('no-such-topic', 'lost')).rejects.toThrow('topic');
    await expect(once(connect(broker.port, '127.0.0.2'), 'connect')).rejects.toThrow('ECONNREFUSED');
    await broker.stop();
  });

  it('reports unexpected exits only', async () => {
    const onExit = jest.fn<void, [Error]>();
    const broker = await KafkaBroker.start({ dataDirectory, onExit });
    const notified = new Promise<void>((resolve) => void onExit.mockImplementation(() => resolve()));
    process.kill(broker.pid, 'SIGKILL');
    await notified;
    expect(onExit.mock.calls[0]?.[0].message).toMatch('exited with SIGKILL');

    await broker.restart();
    await expect(broker.restart()).rejects.toThrow('still running');
    await broker.kill();
    await broker.restart();
    await broker.stop();
    expect(onExit).toHaveBeenCalledTimes(1);
  });

  it('advertises the address of a proxy', async () => {
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port: advertisedPort } = proxy.address() as AddressInfo;
    const broker = await KafkaBroker.start({ dataDirectory, advertisedPort });
    expect(broker.address).toBe(`127.0.0.1:${advertisedPort}`);
    proxy.on('connection', (client) => {
      const onward = connect(broker.port, '127.0.0.1');
      client.pipe(onward).pipe(client);
      client.on('error', () => onward.destroy());
      onward.on('error', () => client.destroy());
    });
    // The client knows the advertised address only, before and after it has read the cluster metadata.
    expect(await new TestKafkaClient(broker.address).receive('notes', 2)).toHaveLength(2);
    await broker.stop();
    proxy.close();
  });

  it('rejects a folder with a running broker, and replaces an orphaned one', async () => {
    const other = KafkaMain.start(['--port', '0', '--data', dataDirectory, '--insecure']);
    const address = await other.ready();
    await expect(start()).rejects.toThrow(`${dataDirectory}, started by process ${other.pid}; stop that one`);
    await new TestKafkaClient(address).send('notes', 'written to the other');

    await other.kill();
    expect(findBroker(dataDirectory)).toMatchObject({ isOrphaned: true });
    const broker = await start();
    expect(findBroker(dataDirectory)).toMatchObject({ pid: broker.pid, isOrphaned: false });
    expect(await new TestKafkaClient(broker.address).receive('notes', 3)).toContain('written to the other');
    await broker.stop();
  });

  it('reports that its port is already in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(KafkaBroker.start({ dataDirectory, port })).rejects.toThrow(`Port ${port} is already in use`);
    other.close();
  });

  it('reports why it does not start', async () => {
    writeFileSync(join(dataDirectory, 'storage', 'meta.properties'), 'version=1\n');
    await expect(start()).rejects.toThrow(/did not start: it exited with code 1\. Its output:[^]*meta\.properties/);
    expect(findBroker(dataDirectory)).toBeUndefined();
  });
});
