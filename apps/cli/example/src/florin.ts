import { Florin } from '@florin/sdk';

/** Connects with the API key in FLORIN_KEY, to the address in FLORIN_URL. Both are in `.env`. */
export function connect(): Florin {
  const { FLORIN_KEY: apiKey, FLORIN_URL: baseUrl } = process.env;
  if (!apiKey) throw new Error('FLORIN_KEY is not set. Set it in .env to an API key of your company.');
  return new Florin(baseUrl ? { apiKey, baseUrl } : { apiKey });
}
