import { type CheckpointJson, LogPublicKey, type LogPublicKeys, type LogSigningKey } from '@florin/event-sourcing';
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.sig.json';

/** Separates these signatures from all other uses of the same key. */
const domainTag = 'florin audit manifest v1';

/** The part of the log that an export rests on. */
export interface LogBasis {
  readonly position: string;
  readonly events: number;
  /** SHA-256 chained over all events up to the position, as in checkpoints. */
  readonly hash: string;
  /** The first signed checkpoint that covers the position. Null while there is none. */
  readonly checkpoint: CheckpointJson | null;
}

export interface Manifest {
  readonly format: 1;
  readonly asOf: string;
  readonly company: string | null;
  readonly environment: string | null;
  readonly log: LogBasis;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

interface ManifestSignature {
  readonly keyId: string;
  readonly publicKey: string;
  readonly signature: string;
}

/** Writes the sums of all files in the folder, and the signature of them if there is a key. */
export async function writeManifest(
  folder: string,
  facts: Omit<Manifest, 'format' | 'files'>,
  key: LogSigningKey | undefined,
): Promise<void> {
  const files = [];
  for (const name of readdirSync(folder).sort()) files.push(await describeFile(folder, name));
  const text = `${JSON.stringify({ format: 1, ...facts, files }, null, 2)}\n`;
  writeFileSync(join(folder, manifestName), text, { flag: 'wx' });
  if (key === undefined) return;
  const { id: keyId, text: publicKey } = key.publicKey;
  const signature = { keyId, publicKey, signature: key.signText(domainTag, text) };
  writeFileSync(join(folder, signatureName), `${JSON.stringify(signature, null, 2)}\n`, { flag: 'wx' });
}

export interface CheckedManifest {
  readonly manifest: Manifest | undefined;
  readonly problems: readonly string[];
  /** The key whose signature is valid, and whether the caller trusts it. */
  readonly signedBy: { readonly keyId: string; readonly isTrusted: boolean } | undefined;
}

/** Compares all files with the manifest, and the manifest with its signature. Needs nothing but the folder. */
export async function checkManifest(folder: string, trusted: LogPublicKeys): Promise<CheckedManifest> {
  const text = readText(folder, manifestName);
  if (text === undefined) {
    return {
      manifest: undefined,
      problems: [`${manifestName} is missing: the export was interrupted`],
      signedBy: undefined,
    };
  }
  const manifest = JSON.parse(text) as Manifest;
  const problems: string[] = [];
  const present = new Set(readdirSync(folder).filter((name) => name !== manifestName && name !== signatureName));
  for (const { name, bytes, sha256 } of manifest.files) {
    if (!present.delete(name)) {
      problems.push(`${name} is missing`);
      continue;
    }
    const found = await describeFile(folder, name);
    if (found.sha256 !== sha256) problems.push(`${name} was changed: it has ${found.bytes} bytes, originally ${bytes}`);
  }
  for (const name of present) problems.push(`${name} is not part of the export`);
  const { signedBy, problem } = checkSignature(folder, text, trusted);
  return { manifest, problems: [...problems, ...(problem === undefined ? [] : [problem])], signedBy };
}

function checkSignature(
  folder: string,
  text: string,
  trusted: LogPublicKeys,
): { readonly signedBy: CheckedManifest['signedBy']; readonly problem?: string } {
  const stored = readText(folder, signatureName);
  if (stored === undefined) {
    const isExpected = trusted.all.length > 0;
    return {
      signedBy: undefined,
      ...(isExpected && { problem: `${signatureName} is missing: the export is not signed` }),
    };
  }
  const { keyId, publicKey, signature } = JSON.parse(stored) as ManifestSignature;
  const known = trusted.get(keyId);
  if (trusted.all.length > 0 && known === undefined) {
    return {
      signedBy: undefined,
      problem: `the export is signed with the key ${keyId}, which --public-key does not have`,
    };
  }
  const isValid = (known ?? LogPublicKey.parse(publicKey)).verifiesText(domainTag, text, signature);
  if (!isValid) return { signedBy: undefined, problem: `the signature of ${manifestName} is not valid` };
  return { signedBy: { keyId, isTrusted: known !== undefined } };
}

async function describeFile(folder: string, name: string): Promise<Manifest['files'][number]> {
  const path = join(folder, name);
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return { name, bytes: statSync(path).size, sha256: sum.digest('hex') };
}

function readText(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
