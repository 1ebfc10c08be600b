import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { allInOne, commandPermissions, type Context, receivingServices } from './command-permissions';

/** An edge of the bus: a sending service and a receiving context. Each edge has its own keys. */
export interface Edge {
  readonly sender: string;
  readonly context: string;
}

const keyBytes = 32;
const maxKeys = 2;

/** Every edge on which commands are sent when each service is a separate process. */
export const edges: readonly Edge[] = Object.entries(commandPermissions).flatMap(([sender, contexts]) =>
  Object.keys(contexts).map((context) => ({ sender, context })),
);

/** The services that need keys. */
export const busServices: readonly string[] = [
  ...new Set(edges.flatMap(({ sender, context }) => [sender, receivingServices[context as Context]])),
];

/** The name of a service's keys where those of several services are stored together. */
export function busKeysVariable(service: string): string {
  return `BUS_KEYS_${service.toUpperCase().replaceAll('-', '_')}`;
}

/** The edges that a service sends or receives on. It needs the keys of these, and no others. */
export function edgesOf(service: string): readonly Edge[] {
  const contexts = [...new Set(edges.map(({ context }) => context))];
  if (service === allInOne) return contexts.map((context) => ({ sender: allInOne, context }));
  return edges.filter(({ sender, context }) => sender === service || receivingServices[context as Context] === service);
}

/**
 * The signing keys of edges, written as `sender>context=key` or `sender>context=key,key`, separated by spaces. A key has 32
 * bytes in base64url. The first key of an edge signs, and both verify: so keys can be replaced while services run.
 */
export class BusKeys {
  private constructor(private readonly texts: ReadonlyMap<string, readonly string[]>) {}

  /** New keys for the edges of the given service, or for all edges. */
  static generate(forEdges: readonly Edge[] = edges): BusKeys {
    return new BusKeys(new Map(forEdges.map((edge) => [nameOf(edge), [newKey()]])));
  }

  /** Throws an error that says what is wrong, without showing a key. */
  static parse(text: string): BusKeys {
    const texts = new Map<string, readonly string[]>();
    for (const entry of text.split(/\s+/).filter(Boolean)) {
      const match = /^([a-z-]+>[a-z-]+)=([\w-]+(?:,[\w-]+)*)$/.exec(entry);
      if (match === null) throw new Error('must be entries such as gateway>ledger=key, separated by spaces');
      const [, edge = '', list = ''] = match;
      const keys = list.split(',');
      if (texts.has(edge)) throw new Error(`must not contain ${edge} twice`);
      if (keys.length > maxKeys) throw new Error(`must not contain more than two keys for ${edge}`);
      if (keys.some((key) => Buffer.from(key, 'base64url').length !== keyBytes)) {
        throw new Error(`must contain keys of ${keyBytes} bytes in base64url, which the one for ${edge} is not`);
      }
      texts.set(edge, keys);
    }
    return new BusKeys(texts);
  }

  toString(): string {
    return [...this.texts].map(([edge, keys]) => `${edge}=${keys.join(',')}`).join(' ');
  }

  /** Only the keys that a service needs. */
  for(service: string): BusKeys {
    const names = new Set(edgesOf(service).map(nameOf));
    return new BusKeys(new Map([...this.texts].filter(([edge]) => names.has(edge))));
  }

  /** The edges of a service that have no key, as text. */
  missingFor(service: string): readonly string[] {
    return edgesOf(service)
      .map(nameOf)
      .filter((edge) => !this.texts.has(edge));
  }

  /** With keys for the edges that have none, such as those that a newer release has added. */
  withMissing(forEdges: readonly Edge[] = edges): BusKeys {
    return new BusKeys(new Map([...BusKeys.generate(forEdges).texts, ...this.texts]));
  }

  /**
   * A second key for every edge, which verifies and does not sign yet. The first step of a replacement. Throws during a
   * replacement: a service may still sign with the key that would be dropped.
   */
  withNewKeys(): BusKeys {
    if ([...this.texts.values()].some(({ length }) => length > 1)) {
      throw new Error('has edges with two keys already: end the replacement in progress first');
    }
    return this.map(([first]) => [first!, newKey()]);
  }

  /** The second key becomes the first, and signs. The second step of a replacement. */
  switched(): BusKeys {
    return this.map((keys) => [...keys].reverse());
  }

  /** Without the second keys. The last step of a replacement. */
  withoutOldKeys(): BusKeys {
    return this.map(([first]) => [first!]);
  }

  /** The keys of an edge: the first one signs, all verify. Empty for an edge that is not one of this service. */
  keysOf(): (edge: Edge) => readonly KeyObject[] {
    const keys = new Map(
      [...this.texts].map(([edge, texts]) => [edge, texts.map((text) => createSecretKey(text, 'base64url'))]),
    );
    return (edge) => keys.get(nameOf(edge)) ?? [];
  }

  private map(change: (keys: readonly string[]) => readonly string[]): BusKeys {
    return new BusKeys(new Map([...this.texts].map(([edge, keys]) => [edge, change(keys)])));
  }
}

function nameOf({ sender, context }: Edge): string {
  return `${sender}>${context}`;
}

function newKey(): string {
  return randomBytes(keyBytes).toString('base64url');
}
