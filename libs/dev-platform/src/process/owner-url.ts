import { databaseUrl, ownerPassword } from '@florin/database';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The address of the database server that a running Florin has started in its data folder, as the owner. */
export function ownerUrlOf(dataDirectory: string): string {
  const host = join(realpathSync(join(dataDirectory, 'postgres')), 'socket');
  return databaseUrl({ user: 'florin', password: ownerPassword(dataDirectory), database: 'florin', host });
}
