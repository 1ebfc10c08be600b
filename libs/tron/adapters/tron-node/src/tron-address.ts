import { createRequire } from 'node:module';
import type * as Tron from 'tronweb';

/** The 20 bytes of an account as logs contain them: 40 lowercase hexadecimal digits. */
export type AccountHex = string;

const addressPattern = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** The first byte of every address on the main network. */
const prefix = '41';

const load = createRequire(__filename);

let loaded: typeof Tron.TronWeb | undefined;

/** Loading tronweb takes about half a second, so a process that handles no TRON address never loads it. */
function tronWeb(): typeof Tron.TronWeb {
  loaded ??= (load('tronweb') as typeof Tron).TronWeb;
  return loaded;
}

/** Whether the text is a base58check address of the main network with a valid checksum. */
export function isTronAddress(text: string): boolean {
  return addressPattern.test(text) && tronWeb().isAddress(text);
}

/** The account of a valid address. */
export function accountOf(address: string): AccountHex {
  return tronWeb().address.toHex(address).slice(prefix.length);
}

export function addressOf(account: AccountHex): string {
  return tronWeb().address.fromHex(prefix + account);
}
