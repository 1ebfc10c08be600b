import { replacePrivateFile } from '@florin/database';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CompanyCredentials {
  readonly id: string;
  readonly name: string;
  readonly kind: 'individual' | 'corporate';
  readonly keys: { readonly sandbox: string; readonly live: string };
}

/** The credentials of a local installation. */
export interface Credentials {
  readonly baseUrl: string;
  /** Only if the operator API has a separate port. */
  readonly operatorUrl?: string | undefined;
  readonly operatorToken: string;
  readonly companies: readonly CompanyCredentials[];
}

/** `credentials.json` in the data folder: readable only by its owner, and replaced atomically. */
export class CredentialsFile {
  readonly path: string;

  constructor(dataDirectory: string) {
    this.path = join(dataDirectory, 'credentials.json');
  }

  read(): Credentials | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return JSON.parse(text) as Credentials;
    } catch {
      throw new Error(`${this.path} is not valid JSON; repair it, or remove it to get new credentials`);
    }
  }

  /** Durable when it returns: a key that is in the log must survive a power failure. */
  write(credentials: Credentials): void {
    replacePrivateFile(this.path, `${JSON.stringify(credentials, null, 2)}\n`);
  }
}
