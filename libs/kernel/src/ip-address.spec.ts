import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { isIpAddress, isLoopbackAddress, isPublicAddress, networkOf } from './ip-address';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** The special blocks of the IANA registries, as a second opinion. */
const special = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const block of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '::/3', '4000::/2', '8000::/1'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]) {
  const [network = '', bits] = block.split('/');
  const family = familyOf(network);
  special[family].addSubnet(network, Number(bits), family);
}

describe('isPublicAddress', () => {
  it.each([
    [
      '8.8.8.8',
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
    ],
    ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.167.255.255'],
    ['192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
    ['168.63.129.15', '168.63.129.17', '192.88.98.255', '192.88.100.0'],
    [
      '2606:4700:4700::1111',
      '2001:4860:4860::8888',
      '2a00:1450:4001:80e::200e',
      '2001:200::1',
      '2001:db7::1',
      '2001:db9::1',
    ],
    ['2003::1', '2000::1', '3fff:1000::1', '3ffe::1', '2001:4860::8.8.8.8'],
  ])('accepts the neighbors of special blocks: %s and others', (...addresses) => {
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it.each([
    ['0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.255'],
    ['192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255', '224.0.0.0', '240.0.0.0', '255.255.255.255'],
    ['1fff:ffff::1', '4000::', '2001::', '2001:1ff:ffff::1', '2001:db8:ffff::', '2002:ffff::', '3fff:fff:ffff::1'],
    ['::', '::1', '::ffff:8.8.8.8', '64:ff9b::808:808', 'fe80::1', 'fe80::1%eth0', 'fc00::', 'ff02::1'],
    [
      '',
      '8.8.8',
      '8.8.8.8.8',
      '08.8.8.8',
      '8.8.8.256',
      '0x8.8.8.8',
      ' 8.8.8.8',
      '2606::4700::1',
      '2606:4700',
      'example.com',
    ],
    [
      '2606:4700:4700:0:0:0:0:0:1111',
      '2606:47000::1',
      '2606:4700:::1',
      ':2606::1',
      '2606::1:',
      '2606:8.8.8.8::1',
      '[2606::1]',
    ],
  ])('rejects both ends of each special block, and text that is not an address: %s and others', (...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('accepts the same addresses as Node', () => {
    const groups = fc.array(fc.constantFrom('', '0', '1', 'ffff', '2001', 'db8', '12345', 'g', '8.8.8.8', '1.2.3'), {
      maxLength: 9,
    });
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      groups.map((parts) => parts.join(':')),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => expect([text, isIpAddress(text)]).toEqual([text, isIP(text) !== 0])),
      { numRuns: 2_000 },
    );
  });

  it('treats no loopback address as public', () => {
    const loopback = ['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1'];
    expect(loopback.filter(isLoopbackAddress)).toEqual(loopback);
    expect(
      ['128.0.0.1', '::', '::2', '::ffff:127.0.0.1', '::127.0.0.1', 'localhost'].filter(isLoopbackAddress),
    ).toEqual([]);
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => !(isLoopbackAddress(ip) && isPublicAddress(ip))));
  });

  it('agrees with the registries of special blocks', () => {
    const first = fc.constantFrom('0', '10', '100', '127', '169', '172', '192', '198', '203', '224', '255');
    const near = fc.tuple(first, fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => bytes.join('.'));
    const embedded = fc
      .tuple(fc.constantFrom('::', '::ffff:', '64:ff9b::', '2002::'), fc.ipV4())
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), near, fc.ipV6(), embedded), (address) => {
        const family = familyOf(address);
        if (special[family].check(address, family))
          expect([address, isPublicAddress(address)]).toEqual([address, false]);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
