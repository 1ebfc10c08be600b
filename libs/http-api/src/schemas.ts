import {
  type ActorKind,
  canonicalMoneyText,
  isMoneyInput,
  maxMetadataKeyLength,
  maxMetadataKeys,
  maxMetadataValueLength,
} from '@florin/kernel';
import { z } from 'zod';

/** An enum that the OpenAPI document names, with an explanation of every value. The compiler requires all of them. */
export const explainedEnum = <Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
) => z.enum(Object.keys(values) as Value[]).meta({ id: name, description, 'x-enumDescriptions': values });

const amountText = z
  .string({ error: 'must be a decimal string such as "10.00", not a JSON number' })
  .regex(/^\d+(\.\d{1,2})?$/, {
    error: 'must be a decimal string with at most two decimals, such as "10.00"',
    abort: true,
  })
  .refine(isMoneyInput, { error: 'must have at most 12 digits before the point', abort: true })
  .meta({
    id: 'Amount',
    description: 'US dollars as a decimal string, never a JSON number. `10`, `10.0` and `10.00` are equal',
    examples: ['100.00'],
  });

/** An amount with its own description and example, which JSON Schema loses after a transformation. */
export const amountOf = (description: string, example: string) =>
  amountText.meta({ description, examples: [example] }).transform((text) => canonicalMoneyText(text));

/** An amount in US dollars, converted to canonical text with two decimals: `10`, `10.0` and `10.00` are equal. */
export const amount = amountOf('US dollars as a decimal string', '100.00');

/** An amount in a response, always with two decimals; `signedMoney` if it can be a debit. */
export const money = z
  .string()
  .regex(/^\d+\.\d{2}$/)
  .meta({ id: 'Money', description: 'US dollars, always two decimals', examples: ['100.00'] });

export const signedMoney = z
  .string()
  .regex(/^-?\d+\.\d{2}$/)
  .meta({
    id: 'SignedMoney',
    description: 'US dollars, always two decimals, negative for a debit',
    examples: ['-3.20'],
  });

export const environment = explainedEnum<'sandbox' | 'live'>('Environment', 'The environment of the API key', {
  sandbox: 'For tests: no real money and no real cards',
  live: 'Real money and real cards',
});

export const currency = z.literal('USD').meta({ id: 'Currency', description: 'ISO 4217. It is always USD' });

/** A point in time in a response. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ id: 'Timestamp', description: 'ISO 8601, UTC, with milliseconds', examples: ['2030-01-31T12:00:00.000Z'] });

/** Postgres has no year 0 and writes years with five digits differently, so such an event could not be projected. */
function isStorableTime(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return !(year < 1 || year > 9999);
}

/** A point in time from a client: any ISO 8601 date-time with an offset, converted to UTC with milliseconds. */
export const timestampInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z' })
  .refine(isStorableTime, { error: 'must be in the years 0001 to 9999, in UTC' })
  .meta({ description: 'ISO 8601 date-time with an offset', examples: ['2030-01-31T12:00:00Z'] })
  .transform((text) => new Date(text).toISOString());

/** A calendar day, UTC. */
export const date = z.iso
  .date({ error: 'must be a calendar date such as 2030-01-31' })
  .refine(isStorableTime, { error: 'must be in the years 0001 to 9999' })
  .meta({ id: 'CalendarDate', description: 'A UTC calendar date', examples: ['2030-01-31'] });

const wholeNumber = /^[1-9]\d{0,2}$/;

/** The page size in a query: text of a whole number from 1 to 100. */
export const limit = z
  .string()
  .refine((text) => wholeNumber.test(text) && Number(text) <= 100, { error: 'must be a whole number from 1 to 100' })
  .meta({ description: 'The number of entries per page', type: 'integer', minimum: 1, maximum: 100, examples: [50] })
  .transform(Number);

/** For lists that are always paginated. */
export const pageLimit = limit.default(50).meta({ description: 'The number of entries per page; the default is 50' });

export const cursor = z
  .string()
  .min(1, { error: 'must be the nextCursor of an earlier page' })
  .max(2_048, { error: 'must be the nextCursor of an earlier page' })
  .meta({ description: 'The `nextCursor` of the previous page' });

/** Control characters, line separators, and lone surrogates, which Postgres cannot store. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Embeddings, overrides and isolates change the order in which the text around them is shown. */
const bidirectionalControl = /[\u202a-\u202e\u2066-\u2069]/;
/** Joiners and marks are part of some names, but there must be something else. The blank Braille pattern is a symbol. */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** One line of text. */
export const text = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !unprintable.test(value), 'must not contain control characters')
    .refine((value) => !bidirectionalControl.test(value), 'must not contain bidirectional control characters')
    .refine((value) => value === '' || visible.test(value), 'must contain a visible character');

/** Catches typing errors. Only sending a message can verify that an address exists. */
const emailPattern = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;

export const emailAddress = text(254)
  .regex(emailPattern, { error: 'must be an e-mail address such as ida@example.com' })
  .meta({ description: 'An e-mail address', format: 'email', examples: ['ida@example.com'] });

/** Postgres cannot store these, so they could not be returned as given. */
const unstorable = /\0|\p{Cs}/u;

const metadataText = (minLength: number, maxLength: number) =>
  z
    .string({ error: 'must be a string' })
    .min(minLength, `must have at least ${minLength} characters`)
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !unstorable.test(value), 'must not contain the character U+0000 or lone surrogates');

const metadataPairs = z.record(metadataText(1, maxMetadataKeyLength), metadataText(0, maxMetadataValueLength), {
  error: ({ code }) =>
    code === 'invalid_key'
      ? `must have a key of 1 to ${maxMetadataKeyLength} characters, without U+0000 and lone surrogates`
      : 'must be a JSON object of strings',
});

/** Key-value pairs of the client, in a body. */
export const metadataSchema = metadataPairs
  .refine((pairs) => Object.keys(pairs).length <= maxMetadataKeys, `must have at most ${maxMetadataKeys} keys`)
  .meta({
    id: 'MetadataInput',
    description:
      `Your own key-value pairs, returned as given: at most ${maxMetadataKeys} keys of 1 to ${maxMetadataKeyLength} ` +
      `characters, with values of at most ${maxMetadataValueLength}`,
    maxProperties: maxMetadataKeys,
    examples: [{ order: '4711' }],
  });

/** The body of a response that returns nothing. */
export const nothing = z.strictObject({}).meta({ id: 'Nothing', description: 'An empty object' });

/** In a response; absent if the object has none. */
export const metadata = z
  .record(z.string(), z.string())
  .meta({ id: 'Metadata', description: 'Your own key-value pairs, as given', examples: [{ order: '4711' }] });

/** The filter `metadata[key]=value` in a query. Several are combined. */
export const metadataFilter = metadataPairs.meta({
  description: 'Only objects with this value in `metadata`: `metadata[order]=4711`. Several keys must all match',
  examples: [{ order: '4711' }],
});

export const actorKind = explainedEnum<ActorKind>('ActorKind', 'Who caused something', {
  api_key: 'A request with an API key of the company',
  member: 'A member of the company',
  operator: 'An operator of the installation',
  issuer: 'A report of the card issuer',
  chain: 'A transfer on the chain',
  service: 'Florin itself',
});

/** Who caused something, in responses to operators. */
export const actor = z
  .strictObject({
    kind: actorKind.meta({ examples: ['operator'] }),
    id: z.string().meta({
      description:
        'The id of the key, member or operator; the environment of an issuer; the name of a chain or service',
      examples: ['0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57'],
    }),
  })
  .meta({ id: 'Actor', description: 'Who caused something' });
