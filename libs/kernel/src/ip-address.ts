import { isIP } from 'node:net';
import { parse, type IPv6 } from 'ipaddr.js';

/** The only block of IPv6 that is assigned to the public internet. */
const globalIpv6 = [parse('2000::') as IPv6, 3] as const;
/** Serves the virtual machines of Azure from inside the cloud, although its block is public. */
const azureWireServer = '168.63.129.16';

/** Whether the text is an IPv4 or IPv6 address in standard notation. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Whether the text is the address of one host on the public internet. IPv6 addresses that embed an IPv4 address are not. */
export function isPublicAddress(text: string): boolean {
  if (rangeOf(text) !== 'unicast' || text === azureWireServer) return false;
  const address = parse(text);
  return address.kind() === 'ipv4' || (address as IPv6).match(...globalIpv6);
}

/** Whether the text is in 127.0.0.0/8 or is ::1. IPv6 notations of IPv4 loopback addresses are not. */
export function isLoopbackAddress(text: string): boolean {
  return rangeOf(text) === 'loopback';
}

/** Undefined for text that is not an address, and for addresses with a zone, which are never public. */
function rangeOf(text: string): string | undefined {
  return isIpAddress(text) && !text.includes('%') ? parse(text).range() : undefined;
}
