import { createPrivateFile } from '@florin/database';
import { LogSigningKey } from '@florin/event-sourcing';
import { writeFileSync } from 'node:fs';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';

/** Writes two new files. An existing key is never replaced. */
export function createLogKey(context: CliContext, file: string): void {
  const key = LogSigningKey.generate();
  const publicFile = `${file}.pub`;
  try {
    createPrivateFile(file, key.pem);
    writeFileSync(publicFile, key.publicKey.pem, { mode: 0o644, flag: 'wx' });
  } catch (error) {
    throw new CommandFailed(`The key was not created: ${(error as Error).message}`);
  }
  const { id, text } = key.publicKey;
  context.output(
    { keyId: id, privateKeyFile: file, publicKeyFile: publicFile, publicKey: text },
    `Key ${id}: the private key is in ${file}, the public key in ${publicFile}. Keep public keys as long as the log.`,
  );
}
