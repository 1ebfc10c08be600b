import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { composition, newDataDirectory, Product, runToEnd } from './harness/product';

/** A cluster has its own ways to say these. */
(composition === 'all-in-one' ? describe : describe.skip)('what keeps the product from starting', () => {
  let folder: string;
  beforeEach(() => {
    folder = newDataDirectory();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** One line at `fatal`, nothing else that sounds like an error, and no stack. */
  async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
    const { code, output } = await runToEnd({ FLORIN_DATA_DIR: folder, PORT: '0', ...env });
    expect(code).toBe(1);
    const lines = output.split('\n').filter((line) => line !== '');
    const loud = lines.filter((line) => /"level":"(error|fatal)"/.test(line) || !line.startsWith('{'));
    expect(loud).toHaveLength(1);
    const said = JSON.parse(loud[0]!) as { level: string; msg: string };
    expect(said).toEqual({ level: 'fatal', time: expect.any(String) as string, msg: said.msg });
    return said.msg;
  }

  it('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ PORT: String(port) })).toBe(
      `Florin could not start. Port ${port} is taken on 127.0.0.1; choose another with PORT, or end what listens there.`,
    );
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
    other.close();
  });

  it('an address of another machine', async () => {
    expect(await refusal({ HOST: '192.0.2.1' })).toContain('192.0.2.1 is no address of this machine');
  });

  it('a database that does not answer', async () => {
    const said = await refusal({ DATABASE_URL: 'postgres://ida:hunter2@127.0.0.1:1/florin' });
    expect(said).toContain('The database of DATABASE_URL cannot be reached at 127.0.0.1:1 (ECONNREFUSED)');
    expect(said).not.toMatch(/ida|hunter2/);
  });

  it('a data folder that is none', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await refusal({ FLORIN_DATA_DIR: join(file, 'data') })).toContain(`The data folder ${file}/data cannot be`);
  });

  it('a data folder whose events are elsewhere', async () => {
    writeFileSync(join(folder, 'event-store'), 'eventstoredb\n');
    expect(await refusal({})).toContain(`The folder ${folder} keeps its events in eventstoredb; set EVENT_STORE=`);
  });

  it('another one on the same folder', async () => {
    const first = await Product.start({ dataDirectory: folder });
    expect(await refusal({})).toMatch(/already running as process \d+ on the folder/);
    expect(await first.stop()).toBe(0);
  });
});
