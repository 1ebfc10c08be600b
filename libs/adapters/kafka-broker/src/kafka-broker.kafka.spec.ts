import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokerOnFolder } from './broker-on-folder';
import { KafkaBroker } from './kafka-broker';
import { BROKER_PATIENCE_MS } from './testing';
import { KafkaTalk } from './testing/kafka-talk';
import { MainProcess } from './testing/run-main';

jest.setTimeout(BROKER_PATIENCE_MS);

describe('a Kafka broker', () => {
  // The folder goes from test to test as it would from run to run; each test leaves it stopped.
  const dataDirectory = realpathSync(mkdtempSync(join(tmpdir(), 'florin-kafka-')));
  const start = () => KafkaBroker.start({ dataDirectory });

  afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

  it('takes messages and hands them out, and keeps both data and address when it is killed', async () => {
    const broker = await start();
    const { address, pid } = broker;
    const talk = new KafkaTalk(address);
    await talk.createTopic('notes');
    await talk.send('notes', 'written before the kill');
    expect(await talk.receive('notes', 1)).toEqual(['written before the kill']);

    await broker.kill();
    expect(brokerOnFolder(dataDirectory)).toBeUndefined();
    await broker.restart();
    expect(broker.address).toBe(address);
    expect(broker.pid).not.toBe(pid);
    await talk.send('notes', 'written after it');
    expect(await talk.receive('notes', 2)).toEqual(['written before the kill', 'written after it']);

    await broker.stop();
    expect(brokerOnFolder(dataDirectory)).toBeUndefined();
    await broker.restart();
    expect(await talk.receive('notes', 2)).toHaveLength(2);
    await broker.stop();
    expect(readdirSync(dataDirectory)).toEqual(['storage']);
  });

  it('makes no topic by itself and is reached at one loopback address only', async () => {
    const broker = await start();
    await expect(new KafkaTalk(broker.address).send('no-such-topic', 'lost')).rejects.toThrow('topic');
    await expect(once(connect(broker.port, '127.0.0.2'), 'connect')).rejects.toThrow('ECONNREFUSED');
    await broker.stop();
  });

  it('tells of an end that nobody asked for, and of no other', async () => {
    const onExit = jest.fn<void, [Error]>();
    const broker = await KafkaBroker.start({ dataDirectory, onExit });
    const told = new Promise<void>((resolve) => void onExit.mockImplementation(() => resolve()));
    process.kill(broker.pid, 'SIGKILL');
    await told;
    expect(onExit.mock.calls[0]?.[0].message).toMatch('ended with SIGKILL');

    await broker.restart();
    await expect(broker.restart()).rejects.toThrow('still running');
    await broker.kill();
    await broker.restart();
    await broker.stop();
    expect(onExit).toHaveBeenCalledTimes(1);
  });

  it('tells clients the address of what stands before it', async () => {
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
    // Only the advertised address is known to the client, before and after it has been told about the brokers.
    expect(await new KafkaTalk(broker.address).receive('notes', 2)).toHaveLength(2);
    await broker.stop();
    proxy.close();
  });

  it('refuses a folder whose broker somebody is running, and takes the place of one left behind', async () => {
    const other = MainProcess.start(['--port', '0', '--data', dataDirectory]);
    const address = await other.ready();
    await expect(start()).rejects.toThrow(`${dataDirectory}, started by process ${other.child.pid}; stop that one`);
    await new KafkaTalk(address).send('notes', 'written to the other');

    other.child.kill('SIGKILL');
    await other.ended();
    expect(brokerOnFolder(dataDirectory)).toMatchObject({ isLeftBehind: true });
    const broker = await start();
    expect(brokerOnFolder(dataDirectory)).toMatchObject({ pid: broker.pid, isLeftBehind: false });
    expect(await new KafkaTalk(broker.address).receive('notes', 3)).toContain('written to the other');
    await broker.stop();
  });

  it('says that its port is taken', async () => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    await expect(KafkaBroker.start({ dataDirectory, port })).rejects.toThrow(`Port ${port} is taken`);
    stranger.close();
  });

  it('says why it does not start', async () => {
    writeFileSync(join(dataDirectory, 'storage', 'meta.properties'), 'version=1\n');
    await expect(start()).rejects.toThrow(/did not start: it ended with code 1\. Its last words:[^]*meta\.properties/);
    expect(brokerOnFolder(dataDirectory)).toBeUndefined();
  });
});
