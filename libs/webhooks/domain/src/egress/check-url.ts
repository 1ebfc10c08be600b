import { isAddress, isLoopbackAddress, isPublicAddress } from './address';

export interface EgressRules {
  readonly environment: 'sandbox' | 'live';
  /** Lets sandbox endpoints be on the machine we run on. Live ones never are. */
  readonly allowLoopback: boolean;
}

const longestUrl = 2048;
/** Names that mean something only inside a machine, a house, a company or a cluster. */
const insideOnly = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa|onion)$/;

/**
 * What is wrong with the address of an endpoint, in words for whoever gave it, or nothing. What its name leads to is
 * found out, and judged by `isAllowedAddress`, whenever we connect.
 */
export function checkUrl(text: string, rules: EgressRules): string | undefined {
  if (text.length > longestUrl) return `url is longer than ${longestUrl} characters: give a shorter one`;
  // A URL parser drops these or turns them into something else, so that people would see another address than we do.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return 'url has spaces, backslashes or other characters to be encoded';
  if (!URL.canParse(text)) return 'url is not a URL: give one such as https://example.com/webhooks';
  const url = new URL(text);
  return checkScheme(url, rules) ?? checkParts(url) ?? checkHost(hostOf(url), rules);
}

/** Whether we may connect to the address. Only what is given here may be connected to, and not what a name says. */
export function isAllowedAddress(address: string, { environment, allowLoopback }: EgressRules): boolean {
  if (isPublicAddress(address)) return true;
  return environment === 'sandbox' && allowLoopback && isLoopbackAddress(address);
}

/** `localhost` and what is below it is always the machine itself, and no resolver is asked for it. */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/.test(host);
}

/** As the parser has understood it: without the brackets of IPv6 and without the final dot of a full name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function checkScheme({ protocol }: URL, { environment }: EgressRules): string | undefined {
  if (protocol === 'https:' || (protocol === 'http:' && environment === 'sandbox')) return undefined;
  return environment === 'live' ? 'url must begin with https://' : 'url must begin with https:// or http://';
}

function checkParts(url: URL): string | undefined {
  if (url.username !== '' || url.password !== '') return 'url must not carry a user name or a password';
  if (url.port === '0') return 'url names port 0, which nobody listens on: give the port of your server';
  return undefined;
}

function checkHost(host: string, rules: EgressRules): string | undefined {
  if (isAddress(host)) {
    return isAllowedAddress(host, rules) ? undefined : 'url must lead to a public address, and this one is not';
  }
  if (isLoopbackName(host) && rules.environment === 'sandbox' && rules.allowLoopback) return undefined;
  if (!host.includes('.') || insideOnly.test(host)) return 'url must name a host that is known in the public internet';
  return undefined;
}
