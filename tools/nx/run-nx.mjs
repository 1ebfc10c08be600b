/** Runs Nx: `node tools/nx/run-nx.mjs <arguments>`. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const nx = createRequire(import.meta.url).resolve('nx');

export function runNx(args, options = {}) {
  // Isolated plugins each start a process, which takes four times as long as the rest of Nx's start-up.
  const env = { ...process.env, NX_ISOLATE_PLUGINS: 'false' };
  return spawnSync(process.execPath, [nx, ...args], { cwd: root, env, stdio: 'inherit', ...options });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = runNx(process.argv.slice(2)).status ?? 1;
