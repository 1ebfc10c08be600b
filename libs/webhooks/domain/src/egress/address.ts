/** The eight groups of an IPv6 address, or the four bytes of an IPv4 one. */
type Parts = readonly number[];

/** First address and length of the prefix: all that no webhook can be at, though its notation is that of any other. */
const specialIpv4: readonly (readonly [Parts, number])[] = [
  [[0, 0, 0, 0], 8], // this network
  [[10, 0, 0, 0], 8], // private
  [[100, 64, 0, 0], 10], // shared behind a carrier's NAT
  [[127, 0, 0, 0], 8], // loopback
  [[168, 63, 129, 16], 32], // what a large cloud answers its own machines on, though the range is public
  [[169, 254, 0, 0], 16], // link-local, also where clouds keep their metadata
  [[172, 16, 0, 0], 12], // private
  [[192, 0, 0, 0], 24], // protocol assignments
  [[192, 0, 2, 0], 24], // documentation
  [[192, 88, 99, 0], 24], // 6to4 relays
  [[192, 168, 0, 0], 16], // private
  [[198, 18, 0, 0], 15], // benchmarks
  [[198, 51, 100, 0], 24], // documentation
  [[203, 0, 113, 0], 24], // documentation
  [[224, 0, 0, 0], 4], // multicast
  [[240, 0, 0, 0], 4], // reserved, and broadcast
];

/** Of IPv6 only 2000::/3 is handed out at all. Inside it these lead elsewhere, or carry an IPv4 address. */
const globalIpv6: readonly [Parts, number] = [[0x2000], 3];
const specialIpv6: readonly (readonly [Parts, number])[] = [
  [[0x2001, 0], 23], // protocol assignments: Teredo, benchmarks, ORCHID
  [[0x2001, 0xdb8], 32], // documentation
  [[0x2002], 16], // 6to4
  [[0x3fff, 0], 20], // documentation
];

/** Whether it is one address of one machine that is reached from everywhere. What is no address is not public. */
export function isPublicAddress(address: string): boolean {
  const ipv4 = parseIpv4(address);
  if (ipv4) return !specialIpv4.some(([prefix, bits]) => startsWith(ipv4, prefix, bits, 8));
  const ipv6 = parseIpv6(address);
  if (!ipv6 || !startsWith(ipv6, ...globalIpv6, 16)) return false;
  return !specialIpv6.some(([prefix, bits]) => startsWith(ipv6, prefix, bits, 16));
}

/** 127.0.0.0/8 and ::1, and no IPv6 way of writing an IPv4 address. */
export function isLoopbackAddress(address: string): boolean {
  const ipv4 = parseIpv4(address);
  if (ipv4) return ipv4[0] === 127;
  const ipv6 = parseIpv6(address);
  return ipv6 !== undefined && ipv6.every((group, index) => group === (index === 7 ? 1 : 0));
}

export function isAddress(text: string): boolean {
  return (parseIpv4(text) ?? parseIpv6(text)) !== undefined;
}

function startsWith(parts: Parts, prefix: Parts, prefixBits: number, bitsOfPart: number): boolean {
  for (let bits = prefixBits, index = 0; bits > 0; bits -= bitsOfPart, index += 1) {
    const ignored = Math.max(0, bitsOfPart - bits);
    if (parts[index]! >> ignored !== prefix[index]! >> ignored) return false;
  }
  return true;
}

/** Four decimal numbers and nothing else: other notations are for `URL` to understand, before anybody asks here. */
function parseIpv4(text: string): Parts | undefined {
  const bytes = text.split('.');
  const valid = bytes.length === 4 && bytes.every((byte) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255);
  return valid ? bytes.map(Number) : undefined;
}

function parseIpv6(text: string): Parts | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const parsed = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  const [head, tail] = parsed;
  if (!head) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (!tail || head.length + tail.length > 7) return undefined;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Groups between colons. The last two of an address may be written as an IPv4 address. */
function parseGroups(text: string, isEnd: boolean): Parts | undefined {
  if (text === '') return [];
  const words = text.split(':');
  const ipv4 = isEnd ? parseIpv4(words.at(-1)!) : undefined;
  const hex = ipv4 ? words.slice(0, -1) : words;
  if (!hex.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return undefined;
  const groups = hex.map((word) => Number.parseInt(word, 16));
  return ipv4 ? [...groups, ipv4[0]! * 256 + ipv4[1]!, ipv4[2]! * 256 + ipv4[3]!] : groups;
}
