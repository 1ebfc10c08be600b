import { KnownPaths } from './known-paths';

const served = (): boolean => true;

describe('KnownPaths', () => {
  const paths = new KnownPaths();
  paths.add('/things', ['POST']);
  paths.add('/things', ['GET', 'HEAD']);
  paths.add('/things/:id', ['DELETE']);
  paths.add('/things/:id/close', ['POST']);
  paths.add('/things/special', ['PUT']);
  paths.add('/openapi.json', ['GET']);

  it.each([
    ['/things', ['GET', 'HEAD', 'POST']],
    ['/things?limit=1', ['GET', 'HEAD', 'POST']],
    ['/things/4711', ['DELETE']],
    ['/things/special', ['PUT']],
    ['/things/4711/close', ['POST']],
    ['/openapi.json', ['GET']],
    ['/openapiXjson', []],
    ['/things/', []],
    ['/things/4711/', []],
    ['/Things', []],
    ['/', []],
    ['', []],
  ])('%s has %j', (url, methods) => {
    expect(paths.methodsOf(url, served)).toEqual(methods);
  });

  it('skips paths that are not served', () => {
    expect(paths.methodsOf('/things', (path) => path !== '/things')).toEqual([]);
  });
});
