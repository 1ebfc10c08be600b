import { BusKeys } from '@florin/bus-trust';
import { type DatabaseRole, isDatabaseRole, roleName } from '@florin/database';
import { canonicalMoneyText, isIpAddress, isMoneyInput, parseVaultKey } from '@florin/kernel';
import { isTronAddress } from '@florin/tron-node/tools';
import { z } from 'zod';

export const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d+$/, { error: `must be a whole number from ${low} to ${high}` })
    .transform(Number)
    .refine((value) => value >= low && value <= high, { error: `must be a whole number from ${low} to ${high}` });

export const url = (...protocols: readonly string[]) =>
  z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), {
    error: `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** Not a URL if it names several nodes. */
const eventStoreUrlPattern = /^(esdb|kurrentdb)(\+discover)?:\/\/([^@/?]+@)?[^@/?,]+(,[^@/?,]+)*\/?(\?.*)?$/;

export const eventStoreUrl = z.string().regex(eventStoreUrlPattern, {
  error:
    'must begin with esdb://, esdb+discover://, kurrentdb:// or kurrentdb+discover:// and name one node or, ' +
    'separated by commas, all nodes of a cluster, such as esdb://user:password@a:2113,b:2113,c:2113',
});

export const dollars = z
  .string()
  .refine(isMoneyInput, { error: 'must be an amount in US dollars such as 10 or 10.00' })
  .transform((text) => canonicalMoneyText(text));

export const oneOf = <Value extends string>(...values: readonly [Value, ...Value[]]) =>
  z.enum(values, { error: `must be ${values.join(' or ')}` });

export const flag = oneOf('true', 'false')
  .default('false')
  .transform((text) => text === 'true');

const listOf = (isValid: (item: string) => boolean, error: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .refine((items) => items.every(isValid), { error });

export const brokers = listOf(
  (broker) => /^[^\s:]+:\d{1,5}$/.test(broker),
  'must be brokers such as kafka-1:9092,kafka-2:9092',
);

/** As in the header Content-Security-Policy, so without a path. */
export const origins = listOf(
  (text) => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text,
  'must be origins such as https://app.example.com, separated by commas, without a path',
);

export const networks = listOf(
  isNetwork,
  'must be IP addresses or networks such as 10.0.0.0/8,192.0.2.7, separated by commas',
);

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const bits = address.includes(':') ? 128 : 32;
  return isIpAddress(address) && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

export const busKeys = z.string().transform((text, context) => {
  try {
    return BusKeys.parse(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

export const tronAddress = z
  .string()
  .refine(isTronAddress, { error: 'must be a TRON address such as T…, with a valid checksum' });

export const tronAddresses = listOf(isTronAddress, 'must be TRON addresses such as T…, separated by commas').refine(
  (addresses) => new Set(addresses).size === addresses.length,
  { error: 'must not contain an address twice' },
);

/** The message does not repeat the value, which is a secret. */
export const vaultKeys = listOf(
  (key) => parseVaultKey(key) !== undefined,
  'must be a key of 32 bytes as base64 or hex, or several separated by commas: openssl rand -base64 32',
).refine((keys) => new Set(keys).size === keys.length, { error: 'must not contain a key twice' });

export const rolePasswords = listOf(
  (entry) => isDatabaseRole(entry.split('=', 1)[0]!) && /^[^=]+=[\x21-\x7e]{16,}$/.test(entry),
  'must be services and their passwords of at least 16 visible ASCII characters, such as ledger=…,gateway=…',
).transform((entries) => Object.fromEntries(entries.map(splitPassword)));

function splitPassword(entry: string): [name: string, password: string] {
  const [name = '', ...rest] = entry.split('=');
  return [roleName(name as DatabaseRole), rest.join('=')];
}

/** Reports what the parser reports, which does not repeat the key. */
export const parsedBy = (parse: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
