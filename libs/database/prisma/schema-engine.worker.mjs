/**
 * Runs Prisma's schema engine, which is WebAssembly in an ES module, in a separate thread: its end frees the
 * engine's memory, and the CommonJS code of the product does not have to load an ES module.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

const { connection, migrationsList, appliedNote } = workerData;
const nameOfScript = new Map(
  migrationsList.migrationDirectories.map((it) => [it.migrationFile.content.value, it.path]),
);
let failedScript;

/**
 * The adapter would cut a script at every semicolon, even inside a function body or a comment, and run the pieces one by
 * one. Sent whole, a script is a single transaction: it applies entirely or leaves no trace. In that same transaction the
 * migration's record gets a note, so that after a crash the next start knows whether the script had been committed.
 */
class WholeScriptPg extends PrismaPg {
  async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      const name = nameOfScript.get(script);
      try {
        await adapter.underlyingDriver().query(name ? `${script}\n;\n${noteOn(name)}` : script);
      } catch (error) {
        if (name) failedScript = `${name}: ${error.message}`;
        adapter.onError(error);
      }
    };
    return adapter;
  }
}

function noteOn(name) {
  return `UPDATE public._prisma_migrations SET logs = '${appliedNote}'
    WHERE migration_name = '${name}' AND finished_at IS NULL AND rolled_back_at IS NULL`;
}

async function loadEngine() {
  const glue = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(glue.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engineModule });
  engineModule.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return engineModule.SchemaEngine;
}

async function applyMigrations() {
  const SchemaEngine = await loadEngine();
  const adapters = bindMigrationAwareSqlAdapterFactory(
    new WholeScriptPg({ ...connection, max: 2 }, { schema: 'public' }),
  );
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapters);
  return engine.applyMigrations({ migrationsList, filters: { externalTables: [], externalEnums: [] } });
}

try {
  const { appliedMigrationNames } = await applyMigrations();
  parentPort.postMessage({ applied: appliedMigrationNames });
} catch (error) {
  parentPort.postMessage({ failure: failedScript ?? String(error?.message ?? error) });
}
// The engine leaves its connections open, which would keep the thread alive.
process.exit(0);
