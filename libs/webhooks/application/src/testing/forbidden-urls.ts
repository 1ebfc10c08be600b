/** Hosts that are forbidden for live endpoints, in all notations. */
const addresses = [
  // Loopback: decimal, hexadecimal, octal, shortened, mixed, encoded, and with a final dot.
  ['127.0.0.1', '127.0.0.2', '127.255.255.254', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7F.0.0.1', '0X7F.1'],
  ['017700000001', '0177.0.0.1', '0177.0.0.01', '00177.0x0.1', '127.0.0.1.', '%31%32%37.0.0.1', '127%2E0%2E0%2E1'],
  ['0x7f.0x0.0x0.0x1', '127.0x1', '1%32%37.1'],
  // This network, which some systems treat as loopback.
  ['0.0.0.0', '0', '0x0', '00', '0.0.0.1', '0.1.2.3', '0.255.255.255'],
  // Private.
  ['10.0.0.1', '10.255.255.255', '10.1', '167772161', '0xa000001', '012.0.0.1', '0xa.0.0.1'],
  ['172.16.0.1', '172.31.255.255', '172.20.1', '2886729729', '0xac100001', '0254.16.0.1'],
  ['192.168.0.1', '192.168.255.255', '192.168.257', '192.11010049', '3232235521', '0xc0a80001', '0300.0250.0.1'],
  // Link-local, including cloud metadata services.
  [
    '169.254.0.1',
    '169.254.169.254',
    '169.254.169.253',
    '169.254.170.2',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
  ],
  ['169.254.43518', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  // Behind a carrier's NAT, protocol assignments, documentation, relays, benchmarks.
  [
    '100.64.0.1',
    '100.127.255.254',
    '0x64400001',
    '192.0.0.1',
    '192.0.0.170',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
  ],
  ['192.88.99.1', '198.18.0.1', '198.19.255.255'],
  // Multicast, reserved, broadcast.
  [
    '224.0.0.1',
    '239.255.255.250',
    '233.252.0.1',
    '240.0.0.1',
    '250.1.2.3',
    '255.255.255.255',
    '4294967295',
    '0xffffffff',
  ],
  // IPv6: unspecified, loopback, and embedded IPv4 addresses.
  ['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[0::1]', '[::2]'],
  ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:10.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:8.8.8.8]'],
  ['[0:0:0:0:0:ffff:7f00:0001]', '[::127.0.0.1]', '[::7f00:1]', '[::10.0.0.1]', '[::ffff:0:127.0.0.1]', '[::8.8.8.8]'],
  // NAT64, 6to4, Teredo.
  ['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]', '[64:ff9b:1:ffff::10.0.0.1]'],
  ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:101::1]', '[2002:808:808::]', '[2001::1]', '[2001:0:7f00:1::]'],
  ['[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  // Unique local, link-local, site-local, multicast.
  ['[fc00::1]', '[fd00::1]', '[fd00:ec2::254]', '[fdff:ffff::1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[feff::1]'],
  ['[ff02::1]', '[ff05::2]', '[ff0e::1]', '[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]'],
  // Documentation, benchmarks, discard, segment routing, and unassigned blocks.
  ['[2001:db8::1]', '[2001:0db8:85a3::8a2e:370:7334]', '[3fff::1]', '[3fff:fff::1]', '[2001:2::1]', '[2001:10::1]'],
  [
    '[2001:20::1]',
    '[2001:1ff::1]',
    '[100::1]',
    '[5f00::1]',
    '[4000::1]',
    '[8000::1]',
    '[a000::1]',
    '[1::1]',
    '[200::1]',
  ],
];

const names = [
  [
    'localhost',
    'LOCALHOST',
    'LocalHost',
    'localhost.',
    'www.localhost',
    'a.b.localhost.',
    'local%68ost',
    'localhost.localdomain',
  ],
  [
    'printer.local',
    'printer.local.',
    'PRINTER.LOCAL',
    'db.internal',
    'metadata.google.internal',
    'metadata.google.internal.',
  ],
  [
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'api.payments.svc',
    'api.payments.svc.cluster.local.',
  ],
  [
    'kubernetes',
    'postgres',
    'redis',
    'metadata',
    'intranet',
    'db',
    'host',
    'host.',
    'wiki.intranet',
    'router.lan',
    'nas.home',
  ],
  [
    'ad.corp',
    'vault.private',
    'router.home.arpa',
    'hidden.onion',
    'host.docker.internal',
    'gateway.docker.internal',
    'com',
  ],
];

const others = [
  // Schemes.
  [
    'http://example.com/',
    'HTTP://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'ws://example.com/',
  ],
  [
    'wss://example.com/',
    'data:text/plain,hi',
    'javascript:alert(1)',
    'blob:https://example.com/1',
    'about:blank',
    'ldap://example.com/',
  ],
  [
    'ssh://example.com',
    'mailto:a@example.com',
    'unix:/var/run/docker.sock',
    'dict://example.com:11211/',
    'view-source:https://example.com',
  ],
  // User names.
  [
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://:password@example.com/',
    'https://example.com@127.0.0.1/',
  ],
  ['https://example.com:443@10.0.0.1/', 'https://example.com%2F@10.0.0.1/', 'https://a:b@c@169.254.169.254/'],
  // Invalid URLs, and URLs that people and parsers read differently.
  [
    '',
    ' ',
    'example.com',
    'example.com/webhooks',
    '//example.com/',
    '/webhooks',
    'https://',
    'https:///',
    'https://?a',
    'https://#',
  ],
  [
    ' https://example.com/',
    'https://example.com/ ',
    'https://exa mple.com/',
    'https://example.com/\n',
    'ht\ttps://example.com/',
  ],
  [
    'https:\\\\example.com\\',
    'https://example.com\\@127.0.0.1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://ⓛocalhost/',
  ],
  [
    'https://[::1/',
    'https://::1/',
    'https://[fe80::1%25eth0]/',
    'https://[::g]/',
    'https://[1:2:3]/',
    'https://256.256.256.256/',
  ],
  [
    'https://1.2.3.4.5/',
    'https://0x7f.0.0.256/',
    'https://4294967296/',
    'https://exa%00mple.com/',
    'https://a..b.1/',
    'https://%/',
  ],
  // Ports.
  [
    'https://example.com:0/',
    'https://example.com:65536/',
    'https://example.com:-1/',
    'https://example.com:port/',
    'https://8.8.8.8:0/',
  ],
  // Length.
  [`https://example.com/${'a'.repeat(2048)}`],
];

export const forbiddenHosts: readonly string[] = [...addresses, ...names].flat();

/** Well over 150 URLs with the given port, so that the caller can listen there. */
export function forbiddenUrls(port: number): readonly string[] {
  return [...forbiddenHosts.map((host) => `https://${host}:${port}/webhooks`), ...others.flat()];
}
