import { brokenChain, type Finding, type LogAudit } from '@florin/audit';
import { categoryOf, type Position } from '@florin/event-sourcing';
import { accountOwnerOf, type FoldedReadModels } from '@florin/read-models/tools';
import { type ExportScope, isInScope } from './export-tables';

interface Owner {
  readonly companyId?: unknown;
  /** Undefined for what a company has in both environments. */
  readonly environment?: unknown;
}

/** An ID or the hash of a transfer, possibly as part of a stream or an account. */
const named = /(?:[a-z]+-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})(?:-(sandbox|live))?/g;

/** Streams about Florin as a whole. */
const shared: ReadonlySet<string> = new Set(['operators', 'chain', 'florin']);

/**
 * The findings about the objects of the scope, and those about the log as a whole. They do not name objects of others; of a
 * broken hash chain in the stream of another company they have only the position.
 */
export function scopedFindings(
  findings: readonly Finding[],
  { broken }: Pick<LogAudit, 'broken'>,
  models: FoldedReadModels,
  scope: ExportScope,
): readonly Finding[] {
  if (scope.company === undefined && scope.environment === undefined) return findings;
  const owners = ownersIn(models);
  const isOwn = (owner: Owner): boolean =>
    isInScope(owner.environment === undefined ? { ...owner, environment: scope.environment } : owner, scope);
  const ownedIn = (text: string): readonly boolean[] =>
    [...text.matchAll(named)].flatMap(([whole, id]) => {
      const owner = ownerOf(whole, id!, owners);
      return owner === undefined ? [] : [isOwn(owner)];
    });
  const redact = (text: string): string =>
    text.replaceAll(named, (whole: string, id: string) => {
      const owner = ownerOf(whole, id, owners);
      return owner === undefined || isOwn(owner) ? whole : '(outside the scope)';
    });
  const brokenAt = new Map(broken.map(({ at, position }) => [at, position]));
  return findings.flatMap(({ at, text }) => {
    const owned = [ownedIn(at), ownedIn(text)].find((found) => found.length > 0) ?? [];
    const isAboutLog = at.startsWith('position') || shared.has(categoryOf(at));
    if (owned.includes(true) || isAboutLog) return [{ at: redact(at), text: redact(text) }];
    return brokenLink(brokenAt.get(at), text);
  });
}

function brokenLink(position: Position | undefined, text: string): readonly Finding[] {
  if (position === undefined || !text.endsWith(brokenChain)) return [];
  return [{ at: `position ${position}`, text: `the event ${brokenChain}` }];
}

function ownersIn(models: FoldedReadModels): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const companyId of models.companies.keys()) owners.set(companyId, { companyId });
  const { operations, cards, transactions, invoices, adjustments } = models;
  for (const rows of [operations, cards, transactions, invoices, adjustments]) {
    for (const [id, { companyId, environment }] of rows as ReadonlyMap<string, Owner>) {
      owners.set(id, { companyId, environment });
    }
  }
  for (const [id, { invoiceId, transactionId }] of models.deposits) {
    const owner = invoiceId === undefined ? undefined : owners.get(invoiceId);
    if (owner === undefined) continue;
    owners.set(id, owner);
    if (transactionId !== undefined) owners.set(transactionId, owner);
  }
  return owners;
}

/** An account names its owner itself, also if its company is unknown. */
function ownerOf(whole: string, id: string, owners: ReadonlyMap<string, Owner>): Owner | undefined {
  const account = whole.slice(whole.indexOf(id));
  return account === id ? owners.get(id) : accountOwnerOf(`account-${account}`);
}
