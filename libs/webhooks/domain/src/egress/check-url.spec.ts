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
    ['https://user@example.com/', 'url must not contain a user name or a password'],
    ['https://example.com:0/', 'url has port 0; use the port of your server'],
    ['https://10.0.0.1/', 'url must lead to a public address'],
    ['https://0x7f.1/', 'url must lead to a public address'],
    ['https://[::ffff:8.8.8.8]/', 'url must lead to a public address'],
    ['https://localhost/', 'url must have a host name of the public internet'],
    ['https://api.payments.svc/', 'url must have a host name of the public internet'],
    ['https://intranet/', 'url must have a host name of the public internet'],
    ['example.com', 'url is not a URL; use one such as https://example.com/webhooks'],
    ['https://exa mple.com/', 'url has spaces, backslashes or other characters that must be encoded'],
    [`https://example.com/${'a'.repeat(2029)}`, 'url is longer than 2048 characters; use a shorter one'],
  ])('returns the error for %s in live', (url, problem) => {
    expect(checkUrl(url, live)).toBe(problem);
  });

  it.each(['http://localhost:4000/a', 'http://127.0.0.1:4000', 'https://[::1]/', 'http://a.localhost', 'http://127.1'])(
    'allows %s only in the sandbox with allowLoopback',
    (url) => {
      expect(checkUrl(url, onThisMachine)).toBeUndefined();
      expect(checkUrl(url, sandbox)).toBeDefined();
      expect(checkUrl(url, live)).toBeDefined();
    },
  );

  it('allows plain http but no other private address in the sandbox', () => {
    expect(checkUrl('http://10.0.0.1/', onThisMachine)).toBeDefined();
    expect(checkUrl('http://printer.local/', onThisMachine)).toBeDefined();
    expect(checkUrl('http://[::ffff:127.0.0.1]/', onThisMachine)).toBeDefined();
    expect(checkUrl('ftp://example.com/', onThisMachine)).toBe('url must begin with https:// or http://');
    expect(checkUrl('http://example.com/', sandbox)).toBeUndefined();
  });
});

describe('isAllowedAddress', () => {
  it('allows loopback only in a sandbox with allowLoopback', () => {
    const rules = [live, sandbox, onThisMachine];
    expect(rules.map((rule) => isAllowedAddress('127.0.0.1', rule))).toEqual([false, false, true]);
    expect(rules.map((rule) => isAllowedAddress('10.0.0.1', rule))).toEqual([false, false, false]);
    expect(rules.map((rule) => isAllowedAddress('8.8.8.8', rule))).toEqual([true, true, true]);
  });
});
