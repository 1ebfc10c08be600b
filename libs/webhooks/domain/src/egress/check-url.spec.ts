import { checkUrl, type EgressRules, isAllowedAddress } from './check-url';

const live: EgressRules = { environment: 'live', allowLoopback: true };
const sandbox: EgressRules = { environment: 'sandbox', allowLoopback: false };
const onThisMachine: EgressRules = { environment: 'sandbox', allowLoopback: true };

describe('checkUrl', () => {
  it.each([
    'https://example.com',
    'https://hooks.example.com:8443/florin?key=1',
    'https://EXAMPLE.com./',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8080/',
    'https://xn--kthe-loa.example/',
    'https://local.example.com/localhost',
    'https://svc.example.com/',
    'https://mylocalhost.com/',
    `https://example.com/${'a'.repeat(2028)}`,
  ])('allows %s everywhere', (url) => {
    for (const rules of [live, sandbox, onThisMachine]) expect(checkUrl(url, rules)).toBeUndefined();
  });

  it.each<[string, string]>([
    ['http://example.com/', 'url must begin with https://'],
    ['https://user@example.com/', 'url must not carry a user name or a password'],
    ['https://example.com:0/', 'url names port 0, which nobody listens on: give the port of your server'],
    ['https://10.0.0.1/', 'url must lead to a public address, and this one is not'],
    ['https://0x7f.1/', 'url must lead to a public address, and this one is not'],
    ['https://[::ffff:8.8.8.8]/', 'url must lead to a public address, and this one is not'],
    ['https://localhost/', 'url must name a host that is known in the public internet'],
    ['https://api.payments.svc/', 'url must name a host that is known in the public internet'],
    ['https://intranet/', 'url must name a host that is known in the public internet'],
    ['example.com', 'url is not a URL: give one such as https://example.com/webhooks'],
    ['https://exa mple.com/', 'url has spaces, backslashes or other characters to be encoded'],
    [`https://example.com/${'a'.repeat(2029)}`, 'url is longer than 2048 characters: give a shorter one'],
  ])('tells what is wrong with %s in live', (url, problem) => {
    expect(checkUrl(url, live)).toBe(problem);
  });

  it.each(['http://localhost:4000/a', 'http://127.0.0.1:4000', 'https://[::1]/', 'http://a.localhost', 'http://127.1'])(
    'allows %s in the sandbox where loopback is allowed, and nowhere else',
    (url) => {
      expect(checkUrl(url, onThisMachine)).toBeUndefined();
      expect(checkUrl(url, sandbox)).toBeDefined();
      expect(checkUrl(url, live)).toBeDefined();
    },
  );

  it('allows no other private address in the sandbox, and plain http', () => {
    expect(checkUrl('http://10.0.0.1/', onThisMachine)).toBeDefined();
    expect(checkUrl('http://printer.local/', onThisMachine)).toBeDefined();
    expect(checkUrl('http://[::ffff:127.0.0.1]/', onThisMachine)).toBeDefined();
    expect(checkUrl('ftp://example.com/', onThisMachine)).toBe('url must begin with https:// or http://');
    expect(checkUrl('http://example.com/', sandbox)).toBeUndefined();
  });
});

describe('isAllowedAddress', () => {
  it('lets loopback pass only where all agree', () => {
    const rules = [live, sandbox, onThisMachine];
    expect(rules.map((rule) => isAllowedAddress('127.0.0.1', rule))).toEqual([false, false, true]);
    expect(rules.map((rule) => isAllowedAddress('10.0.0.1', rule))).toEqual([false, false, false]);
    expect(rules.map((rule) => isAllowedAddress('8.8.8.8', rule))).toEqual([true, true, true]);
  });
});
