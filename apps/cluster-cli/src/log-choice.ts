import { serviceNames } from '@florin/dev-platform';

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Which lines are shown. */
export interface LogChoice {
  shows(service: string, level: Level): boolean;
}

const backingServices = ['kafka', 'postgres', 'eventstoredb'];
const warnings: readonly Level[] = ['warn', 'error', 'fatal'];

/** `all`, `none`, `warn`, or names. `warn` among names adds the warnings of all others. Lines of the cluster itself are always shown. */
export function readLogChoice(text: string): LogChoice {
  const items = text.split(',').map((item) => item.trim());
  const unknown = items.filter((item) => !isItem(item, items.length));
  if (unknown.length > 0) {
    throw new Error(
      `--logs must be all, none, warn, or names of ${[...serviceNames, ...backingServices].join(', ')}, not "${unknown.join(',')}"`,
    );
  }
  const isNamed = (service: string): boolean => items.some((item) => service === item || isReplicaOf(service, item));
  return {
    shows: (service, level) =>
      service === 'cluster' ||
      items.includes('all') ||
      (items.includes('warn') && warnings.includes(level)) ||
      isNamed(service),
  };
}

function isItem(item: string, count: number): boolean {
  if (item === 'all' || item === 'none') return count === 1;
  if (item === 'warn' || backingServices.includes(item)) return true;
  return serviceNames.some((service) => item === service || isReplicaOf(item, service));
}

function isReplicaOf(name: string, service: string): boolean {
  return name.startsWith(`${service}-`) && /^[1-9]\d*$/.test(name.slice(service.length + 1));
}
