import { ManagedProcess } from './managed-process';

describe('a managed process', () => {
  const node = (source: string, onLine?: (line: string, stream: string) => void): ManagedProcess =>
    new ManagedProcess({ command: process.execPath, args: ['-e', source], ...(onLine && { onLine }) });

  it('reports every line, including a last one without a line break, and how it ended', async () => {
    const lines: string[] = [];
    const source = `process.stdout.write('one\\n\\ntwo'); process.stderr.write('three\\n'); process.exitCode = 3`;
    const child = node(source, (line, stream) => lines.push(`${stream} ${line}`));
    expect(await child.exited).toBe('code 3');
    expect(lines.sort()).toEqual(['stderr three', 'stdout ', 'stdout one', 'stdout two']);
    expect(child.recentOutput).toContain('three');
    expect([child.isRunning, child.exitCode]).toEqual([false, 3]);
  });

  it('stops a process in order', async () => {
    let isListening: () => void;
    const listening = new Promise<void>((resolve) => (isListening = resolve));
    const source = `process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('ready')`;
    const child = node(source, () => isListening());
    await listening;
    expect(await child.stop(20_000)).toBe(true);
    expect(child.exitCode).toBe(0);
  });

  it('kills a process that ignores SIGTERM', async () => {
    let isListening: () => void;
    const listening = new Promise<void>((resolve) => (isListening = resolve));
    const source = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')`;
    const child = node(source, () => isListening());
    await listening;
    expect(await child.stop(50)).toBe(false);
    expect(await child.exited).toBe('SIGKILL');
  });

  it('reports a command that does not exist', async () => {
    const child = new ManagedProcess({ command: '/no/such/program', args: [] });
    expect(await child.exited).toMatch('ENOENT');
    expect(await child.stop(1_000)).toBe(true);
    expect(child.isRunning).toBe(false);
  });
});
