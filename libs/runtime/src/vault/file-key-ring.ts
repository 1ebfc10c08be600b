import { KeyRing, type KeyWrapper, parseVaultKey, type WrappedKey } from '@florin/kernel';
import { readFileSync, statSync } from 'node:fs';

/** How often the file is checked for changes. It is also checked when an unknown vault key is needed. */
const checkEveryMs = 1_000;

/** The file of VAULT_KEY_FILE cannot be used. */
export class BadVaultKeyFile extends Error {
  override readonly name = 'BadVaultKeyFile';
}

/**
 * Vault keys in a file, one per line: the first one wraps, and all of them unwrap. Lines that begin with `#` are comments. The file is read
 * again when it changes, so that keys rotate without a restart. If the changed file is invalid, the known keys stay in use.
 */
export class FileKeyRing implements KeyWrapper {
  private ring: KeyRing;
  private version: string;
  private checkedAt = performance.now();

  constructor(
    private readonly path: string,
    private readonly onInvalid: (error: Error) => void,
  ) {
    const { ring, version } = read(path);
    this.ring = ring;
    this.version = version;
  }

  async currentKeyId(): Promise<string> {
    this.readIfChanged();
    return this.ring.currentKeyId();
  }

  async knows(keyId: string): Promise<boolean> {
    this.readIfChanged();
    if (await this.ring.knows(keyId)) return true;
    this.readIfChanged(0);
    return this.ring.knows(keyId);
  }

  async wrap(key: Uint8Array, context: string): Promise<WrappedKey> {
    this.readIfChanged();
    return this.ring.wrap(key, context);
  }

  async unwrap(wrapped: WrappedKey, context: string): Promise<Buffer> {
    await this.knows(wrapped.keyId);
    return this.ring.unwrap(wrapped, context);
  }

  private readIfChanged(afterMs = checkEveryMs): void {
    if (performance.now() - this.checkedAt < afterMs) return;
    this.checkedAt = performance.now();
    try {
      if (versionOf(this.path) === this.version) return;
      const { ring, version } = read(this.path);
      this.ring = ring;
      this.version = version;
    } catch (error) {
      this.onInvalid(error as Error);
    }
  }
}

function versionOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

function read(path: string): { ring: KeyRing; version: string } {
  let version: string;
  let text: string;
  try {
    version = versionOf(path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadVaultKeyFile(`The vault key file ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseVaultKey);
  const known = keys.filter((key) => key !== undefined);
  // The text is not part of the message: it may be a mistyped key.
  if (known.length === 0 || known.length < keys.length) {
    throw new BadVaultKeyFile(
      `The vault key file ${path} must contain keys of 32 bytes as base64 or hex, one per line: openssl rand -base64 32`,
    );
  }
  return { ring: new KeyRing(known), version };
}
