import { createHash } from 'node:crypto';
import { TronWeb } from 'tronweb';

/** A valid address without a known key, always the same for a name. */
export function simulatedAddress(name: string): string {
  const account = sha256(`tron simulator ${name}`).subarray(0, 20).toString('hex');
  return TronWeb.address.fromHex(`41${account}`);
}

/** The token that represents USDT on the simulated chain. */
export const simulatedContract = simulatedAddress('USDT');

/** `T…` → 42 hexadecimal digits that begin with `41`, as nodes write addresses. */
export function toHex(address: string): string {
  if (!TronWeb.isAddress(address)) {
    throw new Error(`"${address}" is not a TRON address. Use T and 33 more characters, as a wallet shows it.`);
  }
  return TronWeb.address.toHex(address);
}

export function sha256(content: Buffer | string): Buffer {
  return createHash('sha256').update(content).digest();
}
