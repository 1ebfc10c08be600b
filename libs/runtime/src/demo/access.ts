import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Config } from '../config';
import type { Log } from '../log';
import type { Platform } from '../platform';
import { type CompanyCredentials, type Credentials, CredentialsFile } from './credentials';
import { seedDemo } from './seed-demo';

/** The initial credentials: the operator token and, unless FLORIN_SEED=none, two demo companies with their keys. */
export class Access {
  static open(config: Config): Access {
    if (writesCredentials(config)) mkdirSync(config.FLORIN_DATA_DIR, { recursive: true, mode: 0o700 });
    return new Access(config, new CredentialsFile(config.FLORIN_DATA_DIR));
  }

  readonly operatorToken: string;
  private readonly known: readonly CompanyCredentials[];

  private constructor(
    private readonly config: Config,
    private readonly file: CredentialsFile,
  ) {
    const earlier = file.read();
    this.known = earlier?.companies ?? [];
    this.operatorToken = config.FLORIN_OPERATOR_TOKEN ?? earlier?.operatorToken ?? generateToken();
  }

  /** The file with the credentials; undefined if none is written. */
  get path(): string | undefined {
    return writesCredentials(this.config) ? this.file.path : undefined;
  }

  async provide(
    urls: Pick<Credentials, 'baseUrl' | 'operatorUrl'>,
    { bus, store, clock, vault }: Platform,
    log: Log,
  ): Promise<void> {
    if (!writesCredentials(this.config)) return;
    const save = (companies: readonly CompanyCredentials[]): void => {
      this.file.write({ ...urls, operatorToken: this.operatorToken, companies });
    };
    if (this.config.FLORIN_SEED === 'none') save(this.known);
    else await seedDemo({ bus, store, clock, log, vault: vault!.holderKeys, known: this.known, save });
  }
}

/** A configured token is a secret that its owner stores elsewhere, and without demo companies there is nothing else to write. */
function writesCredentials({ FLORIN_SEED, FLORIN_OPERATOR_TOKEN }: Config): boolean {
  return FLORIN_SEED !== 'none' || FLORIN_OPERATOR_TOKEN === undefined;
}

function generateToken(): string {
  return `flop_${randomBytes(32).toString('base64url')}`;
}
