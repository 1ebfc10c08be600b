import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type LogCheckpoint, signedBytes, type UnsignedCheckpoint } from './log-checkpoint';

/** The Ed25519 key that signs checkpoints. */
export class LogSigningKey {
  readonly publicKey: LogPublicKey;

  private constructor(private readonly key: KeyObject) {
    this.publicKey = LogPublicKey.of(createPublicKey(key));
  }

  static generate(): LogSigningKey {
    return new LogSigningKey(generateKeyPairSync('ed25519').privateKey);
  }

  /** Accepts PEM, and base64 of PEM or of PKCS #8. The error does not repeat the key. */
  static parse(text: string): LogSigningKey {
    try {
      const key = createPrivateKey(keyMaterial(text, { type: 'pkcs8' }));
      if (key.asymmetricKeyType === 'ed25519') return new LogSigningKey(key);
    } catch {
      // The error below says the same for every malformed key.
    }
    throw new Error('must be an Ed25519 private key: PEM, or base64 of PKCS #8');
  }

  get pem(): string {
    return this.key.export({ type: 'pkcs8', format: 'pem' }) as string;
  }

  sign(checkpoint: Omit<UnsignedCheckpoint, 'keyId'>): LogCheckpoint {
    const unsigned = { ...checkpoint, keyId: this.publicKey.id };
    return { ...unsigned, signature: sign(null, signedBytes(unsigned), this.key).toString('base64') };
  }

  /** Ed25519, base64. The tag separates the uses of the key and must not contain a line break. */
  signText(tag: string, text: string): string {
    return sign(null, Buffer.from(`${tag}\n${text}`), this.key).toString('base64');
  }
}

export class LogPublicKey {
  /** The fingerprint of the key. */
  readonly id: string;
  /** SPKI, base64. */
  readonly text: string;

  private constructor(private readonly key: KeyObject) {
    const bytes = key.export({ type: 'spki', format: 'der' });
    this.text = bytes.toString('base64');
    this.id = hash('sha256', bytes).slice(0, 16);
  }

  static of(key: KeyObject): LogPublicKey {
    return new LogPublicKey(key);
  }

  /** Accepts PEM, and base64 of PEM or of SPKI. */
  static parse(text: string): LogPublicKey {
    try {
      const key = createPublicKey(keyMaterial(text, { type: 'spki' }));
      if (key.asymmetricKeyType === 'ed25519') return new LogPublicKey(key);
    } catch {
      // The error below says the same for every malformed key.
    }
    throw new Error('must be Ed25519 public keys: PEM, or base64 of SPKI, separated by commas');
  }

  get pem(): string {
    return this.key.export({ type: 'spki', format: 'pem' }) as string;
  }

  verifies(checkpoint: LogCheckpoint): boolean {
    return verify(null, signedBytes(checkpoint), this.key, Buffer.from(checkpoint.signature, 'base64'));
  }

  verifiesText(tag: string, text: string, signature: string): boolean {
    return verify(null, Buffer.from(`${tag}\n${text}`), this.key, Buffer.from(signature, 'base64'));
  }
}

/** The keys whose signatures are accepted, by their id. During and after a rotation there are several. */
export class LogPublicKeys {
  private readonly byId: ReadonlyMap<string, LogPublicKey>;

  constructor(keys: readonly LogPublicKey[]) {
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** Accepts PEM blocks one after another, or base64 texts separated by commas or white space. */
  static parse(text: string): LogPublicKeys {
    const blocks = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g);
    const texts = blocks ?? text.split(/[\s,]+/).filter((part) => part !== '');
    return new LogPublicKeys(texts.map((part) => LogPublicKey.parse(part)));
  }

  get all(): readonly LogPublicKey[] {
    return [...this.byId.values()];
  }

  get(id: string): LogPublicKey | undefined {
    return this.byId.get(id);
  }

  with(others: readonly LogPublicKey[]): LogPublicKeys {
    return new LogPublicKeys([...this.all, ...others]);
  }
}

/**
 * Reads the key in the file, or creates both. `createFile` writes a complete file that only its owner can read, and fails
 * with EEXIST if another process was first.
 */
export function openSigningKeyFile(path: string, createFile: (path: string, text: string) => void): LogSigningKey {
  const existing = readSigningKeyFile(path);
  if (existing !== undefined) return existing;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const key = LogSigningKey.generate();
  try {
    createFile(path, key.pem);
    return key;
  } catch (error) {
    const created = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSigningKeyFile(path) : undefined;
    if (created === undefined) throw error;
    return created;
  }
}

/** Returns undefined if there is no such file. */
export function readSigningKeyFile(path: string): LogSigningKey | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return LogSigningKey.parse(text);
  } catch (error) {
    throw new Error(`${path} ${(error as Error).message}`, { cause: error });
  }
}

function keyMaterial<Type extends 'pkcs8' | 'spki'>(text: string, { type }: { readonly type: Type }) {
  if (text.includes('-----BEGIN')) return { key: text, format: 'pem' as const };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.includes('-----BEGIN')) return { key: bytes, format: 'pem' as const };
  return { key: bytes, format: 'der' as const, type };
}
