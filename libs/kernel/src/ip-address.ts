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

/**
 * The address of the client as a rate limiter counts it: an IPv6 client has a whole network of 64 bits. Other text is
 * returned as it is.
 */
export function networkOf(text: string): string {
  const [address = ''] = text.split('%');
  if (!isIpAddress(address)) return text;
  const parsed = parse(address);
  if (parsed.kind() === 'ipv4') return address;
  const { parts } = parsed as IPv6;
  if ((parsed as IPv6).isIPv4MappedAddress()) return (parsed as IPv6).toIPv4Address().toString();
  const network = parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Undefined for text that is not an address, and for addresses with a zone, which are never public. */
function rangeOf(text: string): string | undefined {
  return isIpAddress(text) && !text.includes('%') ? parse(text).range() : undefined;
}
