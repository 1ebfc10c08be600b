import { isIpAddress, isLoopbackAddress, isPublicAddress } from '@florin/kernel';

export interface EgressRules {
  readonly environment: 'sandbox' | 'live';
  /** Allows sandbox endpoints on this machine. Live endpoints are never allowed there. */
  readonly allowLoopback: boolean;
}

const maxUrlLength = 2048;
/** Names that are resolved only within a host, a local network or a cluster. */
const internalNames =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa|onion)$/;

/**
 * Returns the error message for an invalid endpoint URL, or undefined. The addresses of a host name are checked by
 * `isAllowedAddress` on each connection.
 */
export function checkUrl(text: string, rules: EgressRules): string | undefined {
  if (text.length > maxUrlLength) return `url is longer than ${maxUrlLength} characters; use a shorter one`;
  // A URL parser removes or rewrites these characters, so that people would see another URL than Florin uses.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text))
    return 'url has spaces, backslashes or other characters that must be encoded';
  if (!URL.canParse(text)) return 'url is not a URL; use one such as https://example.com/webhooks';
  const url = new URL(text);
  return checkScheme(url, rules) ?? checkParts(url) ?? checkHost(hostOf(url), rules);
}

/** Whether a connection to the IP address is allowed. */
export function isAllowedAddress(address: string, { environment, allowLoopback }: EgressRules): boolean {
  if (isPublicAddress(address)) return true;
  return environment === 'sandbox' && allowLoopback && isLoopbackAddress(address);
}

/** `localhost` and its subdomains are always this machine and are not resolved. */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/.test(host);
}

/** The host without the brackets of IPv6 and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function checkScheme({ protocol }: URL, { environment }: EgressRules): string | undefined {
  if (protocol === 'https:' || (protocol === 'http:' && environment === 'sandbox')) return undefined;
  return environment === 'live' ? 'url must begin with https://' : 'url must begin with https:// or http://';
}

function checkParts(url: URL): string | undefined {
  if (url.username !== '' || url.password !== '') return 'url must not contain a user name or a password';
  if (url.port === '0') return 'url has port 0; use the port of your server';
  return undefined;
}

function checkHost(host: string, rules: EgressRules): string | undefined {
  if (isIpAddress(host)) {
    return isAllowedAddress(host, rules) ? undefined : 'url must lead to a public address';
  }
  if (isLoopbackName(host) && rules.environment === 'sandbox' && rules.allowLoopback) return undefined;
  if (!host.includes('.') || internalNames.test(host)) return 'url must have a host name of the public internet';
  return undefined;
}
