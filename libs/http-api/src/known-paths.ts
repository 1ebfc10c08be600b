/** The methods of every path, for requests whose path exists with other methods only. */
export class KnownPaths {
  private readonly paths = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** `path` as in a route: `/api/v1/operations/:id`. */
  add(path: string, methods: readonly string[]): void {
    const known = this.paths.get(path) ?? { pattern: patternOf(path), methods: new Set() };
    for (const method of methods) known.methods.add(method);
    this.paths.set(path, known);
  }

  /** The methods of the path in the URL of a request, or none. A path without parameters takes precedence, as in routing. */
  methodsOf(url: string, isServed: (path: string) => boolean): readonly string[] {
    const [pathname = ''] = url.split('?', 1);
    const path = this.paths.has(pathname) ? pathname : this.matching(pathname);
    if (path === undefined || !isServed(path)) return [];
    return [...(this.paths.get(path)?.methods ?? [])].sort();
  }

  private matching(pathname: string): string | undefined {
    return [...this.paths.keys()].find((path) => this.paths.get(path)?.pattern.test(pathname));
  }
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
