import { freePort } from '@florin/dev-platform';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFlorin } from './harness/florin';
import { newFlorinFolder } from './harness/florin-folder';
import { root } from './harness/florin-process';
import { Operator } from './harness/operator';
import { Shell } from './harness/shell';
import { until } from './harness/until';

/** The code blocks of a document that a reader enters into a shell. */
function blocksOf(document: string): string[] {
  const text = readFileSync(join(root, 'docs', document), 'utf8');
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
}

/** A folder as `npm ci && npm start` leaves it, with a new company as the first one. */
async function folderOfFlorin(): Promise<string> {
  const florin = await sharedFlorin();
  const operator = new Operator(florin);
  const id = await operator.newCompany();
  const { key: sandbox } = await operator.newKey(id);
  const { baseUrl, operatorToken } = florin.credentials;
  const companies = [{ id, name: 'Acme Corporation', keys: { sandbox } }];
  return newFlorinFolder({ baseUrl, operatorToken, companies });
}

describe('The commands of the guides', () => {
  let folder: string;
  let shell: Shell;

  beforeAll(async () => {
    folder = await folderOfFlorin();
    shell = new Shell(folder);
  });

  afterAll(async () => {
    await shell.close();
    rmSync(folder, { recursive: true });
  });

  it('of QUICKSTART.md issue a card and end with verified webhooks', async () => {
    const port = String(await freePort());
    const [start, ...blocks] = blocksOf('QUICKSTART.md').map((block) => block.replaceAll('4000', port));
    expect(start).toBe('npm ci && npm start\n');
    const [register, receive, issue, forge, end] = blocks.slice(0, -1) as [string, string, string, string, string];
    await shell.run(register);
    await shell.run(receive);
    await until(
      'the receiver listens',
      () => fetch(`http://127.0.0.1:${port}`).catch(() => undefined),
      (response) => response !== undefined,
    );
    const issued = await shell.run(issue);
    expect(issued).toMatch(/\nAMOUNT +FEE +TOTAL\n100\.00 +3\.20 +103\.20\n/);
    expect(issued).toMatch(/\nstatus +completed\n/);
    expect(issued).toMatch(/\nID +NAME .*\n\S+ .* \d{4} +active +100\.00 +100\.00 /);
    expect(issued).toMatch(/\n +146\.80 +0\.00 +146\.80 +USD +sandbox\n/);
    const verified = ['holder.created', 'operation.queued', 'operation.completed', 'card.created'];
    const isVerified = (output: string) => verified.every((type) => output.includes(`verified ${type} evt_`));
    await until('all webhooks are verified', async () => shell.output, isVerified);
    expect(await shell.run(forge)).toContain('rejected: ');
    expect(await shell.run(end)).toMatch(/^ID +CREATED +TYPE +VERSION +OBJECT\nevt_/m);
  });

  it('of IDEMPOTENCY.md repeat requests without a second effect, and read every page', async () => {
    // With the account and the events of the quick start.
    const [define, repeat, conflict, retry, pages, lists] = blocksOf('IDEMPOTENCY.md');
    await shell.run(define!);
    const repeated = await shell.run(repeat!);
    expect(repeated.match(/HTTP\/1\.1 201/g)).toHaveLength(2);
    expect(repeated.match(/idempotent-replayed: true/gi)).toHaveLength(1);
    expect(await shell.run(conflict!)).toContain('"code":"idempotency_conflict"');
    await shell.run(retry!);
    expect(await shell.run('npm run florin -- balance')).toMatch(/ 406\.80 +0\.00 +406\.80 /);
    const ids = (await shell.run(pages!)).match(/evt_\w+/g)!;
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
    const listed = (await shell.run(lists!)).match(/evt_\w+/g)!;
    expect(listed).toEqual(expect.arrayContaining(ids));
  });

  it('of QUICKSTART.md write a project whose program and tests work', async () => {
    const [init, run] = blocksOf('QUICKSTART.md').at(-1)!.split('\n');
    expect(run).toBe('cd ../florin-example && npm install && npm start');
    await shell.run(init!.replace('../florin-example', 'florin-example'));
    // The packages that `npm install` would install are in the parent folder.
    const project = join(folder, 'florin-example');
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<'build' | 'start' | 'test', string>>;
    };
    const build = 'npm run --silent build && ';
    const inProject = (script: string) => shell.run(`(cd florin-example && ${script})`);
    await inProject(`../node_modules/.bin/${scripts.build}`);
    expect(await inProject(`PORT=${await freePort()} ${scripts.start.replace(build, '')}`)).toMatch(
      /verified operation\.completed evt_\w+\n/,
    );
    expect(await inProject(scripts.test.replace(build, ''))).toMatch(/\bpass 3\n\S+ fail 0\n/);
  });
});
