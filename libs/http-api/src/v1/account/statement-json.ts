import { mapInTurns } from '@florin/event-sourcing';
import { formatMoney, sha256 } from '@florin/kernel';
import type { AccountOwner, StatementView } from '@florin/read-models';

/** The first and the last day of a statement. */
export interface StatementDates {
  readonly from: string;
  readonly to: string;
}

/** A statement without what may change later: the name of the company and the time of the request. */
export interface StatementJson {
  readonly head: StatementHead;
  readonly hash: string;
  /** The entries, serialized. */
  readonly data: string;
}

export type StatementHead = ReturnType<typeof headOf>;

/** Serializes a statement, with its hash. The entries are serialized in parts, because there can be 10,000 of them. */
export async function statementJson(
  owner: AccountOwner,
  dates: StatementDates,
  view: StatementView,
): Promise<StatementJson> {
  const head = headOf(owner, dates, view);
  const lines = await mapInTurns(view.lines, (line) => JSON.stringify(line));
  const data = `[${lines.join(',')}]`;
  return { head, hash: sha256(canonicalText(owner.companyId, head, data)), data };
}

function headOf({ environment }: AccountOwner, { from, to }: StatementDates, view: StatementView) {
  return {
    environment,
    currency: 'USD',
    account: 'card_account',
    from,
    to,
    openingBalance: formatMoney(view.openingBalance),
    closingBalance: formatMoney(view.closingBalance),
    incoming: formatMoney(view.incoming),
    outgoing: formatMoney(view.outgoing),
    revision: view.revision,
  } as const;
}

/**
 * The canonical JSON of RFC 8785: all fields in alphabetical order, without whitespace. Clients recompute it, so it must never
 * change. The fields of the entries are in this order already.
 */
function canonicalText(companyId: string, head: StatementHead, data: string): string {
  const { account, closingBalance, currency, environment, from, incoming, openingBalance, outgoing, revision, to } =
    head;
  const beforeData = { account, closingBalance, company: { id: companyId }, currency };
  const afterData = { environment, from, incoming, openingBalance, outgoing, revision, to };
  return `${JSON.stringify(beforeData).slice(0, -1)},"data":${data},${JSON.stringify(afterData).slice(1)}`;
}
