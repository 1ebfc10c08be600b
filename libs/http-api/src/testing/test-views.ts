import { type ErasureCertificate, HolderErasures } from '../operator/v1/holder-erasures';
import { KeyDestroyed, sha256 } from '@florin/kernel';
import {
  HOLDER_VAULT,
  type HolderDetails,
  type HolderVault,
  type OperationObject,
  type Product,
} from '@florin/operations-domain';
import {
  type AccountOwner,
  ApprovalQueries,
  type ApprovalView,
  type CardOwner,
  CardQueries,
  type CardView,
  DepositQueries,
  type DepositView,
  HolderQueries,
  type InvoiceOwner,
  InvoiceQueries,
  type InvoiceView,
  OperationQueries,
  type LinkedCard,
  type OwnedHolderView,
  type Page,
  type PayableInvoice,
  ProductQueries,
  RevealLinks,
  ReviewQueries,
  type ReviewView,
  TransactionQueries,
  type TransactionView,
} from '@florin/read-models';
import type { InjectionToken } from '@nestjs/common';

/** The arguments of one query. */
export interface RecordedQuery {
  readonly owner?: AccountOwner;
  readonly filter?: object;
  readonly page?: Page;
}

/** Read models in memory that record their queries. They do not apply filters or owners. */
export class TestViews {
  operations: OperationObject[] = [];
  reviews: ReviewView[] = [];
  approvals: ApprovalView[] = [];
  invoices: InvoiceView[] = [];
  invoiceOwners: InvoiceOwner[] = [];
  /** By the token of the page. */
  readonly payable = new Map<string, PayableInvoice>();
  payableReads = 0;
  deposits: DepositView[] = [];
  cards: CardView[] = [];
  owners: CardOwner[] = [];
  holders: OwnedHolderView[] = [];
  transactions: TransactionView[] = [];
  products: Product[] = [];
  readonly queries: RecordedQuery[] = [];
  readonly revealLinks = new Map<string, LinkedCard & { readonly expiresAt: Date }>();
  readonly vault = new TestVault();

  /** For the `standIns` of a test application. */
  readonly erasures = new Map<string, ErasureCertificate>();

  standIns(): ReadonlyMap<InjectionToken, unknown> {
    return new Map<InjectionToken, unknown>([
      [OperationQueries, { ...this.list(() => this.operations), countUnfinished: async () => this.countUnfinished() }],
      [ReviewQueries, this.reviewQueries()],
      [ApprovalQueries, this.approvalQueries()],
      [InvoiceQueries, { ...this.list(() => this.invoices), ...this.invoiceOwnerQueries() }],
      [DepositQueries, this.depositQueries()],
      [CardQueries, { ...this.list(() => this.cards), ...this.ownerQueries() }],
      [HolderQueries, { ...this.list(() => this.holders), findAnywhere: this.finder(() => this.holders) }],
      [TransactionQueries, this.list(() => this.transactions)],
      [ProductQueries, { list: async () => this.products }],
      [RevealLinks, this.linkQueries()],
      [HOLDER_VAULT, this.vault],
      [HolderErasures, { certificate: async (_: string, holderId: string) => this.erasures.get(holderId) }],
    ]);
  }

  private countUnfinished(): number {
    return this.operations.filter(({ status }) => status !== 'completed' && status !== 'failed').length;
  }

  private list<Row extends { readonly id: string }>(rows: () => readonly Row[]) {
    const find = this.finder(rows);
    return {
      find: ({ companyId, environment }: AccountOwner, id: string) => {
        this.queries.push({ owner: { companyId, environment } });
        return find(id);
      },
      list: async ({ companyId, environment }: AccountOwner, filter: object, page: Page) => {
        this.queries.push({ owner: { companyId, environment }, filter, page });
        return rows().slice(0, page.limit);
      },
    };
  }

  private finder<Row extends { readonly id: string }>(rows: () => readonly Row[]) {
    return async (id: string) => rows().find((row) => row.id === id);
  }

  private reviewQueries() {
    return {
      list: async (page: Page) => {
        this.queries.push({ page });
        return this.reviews.slice(0, page.limit);
      },
      find: this.finder(() => this.reviews),
    };
  }

  private approvalQueries() {
    return {
      find: this.finder(() => this.approvals),
      findAll: async (ids: readonly string[]) =>
        new Map(this.approvals.filter(({ id }) => ids.includes(id)).map((approval) => [approval.id, approval])),
    };
  }

  private depositQueries() {
    return {
      list: async (filter: object, page: Page) => {
        this.queries.push({ filter, page });
        return this.deposits.slice(0, page.limit);
      },
    };
  }

  private linkQueries(): Pick<RevealLinks, 'add' | 'take'> {
    return {
      add: async (token, card, expiresAt) => void this.revealLinks.set(token, { ...card, expiresAt }),
      take: async (token) => this.revealLinks.get(token),
    };
  }

  private invoiceOwnerQueries() {
    return {
      findAnywhere: async (id: string) => this.invoiceOwners.find(({ invoiceId }) => invoiceId === id),
      findPayable: async (token: string) => {
        this.payableReads += 1;
        return this.payable.get(token);
      },
    };
  }

  private ownerQueries() {
    return {
      findAnywhere: async (cardId: string) => this.owners.find((owner) => owner.cardId === cardId),
      findByReference: async (reference: string) => this.owners.find((owner) => `ref-${owner.cardId}` === reference),
    };
  }
}

/** Seals by reversing the text, so that specs can recognize sealed data. */
export class TestVault implements HolderVault {
  readonly destroyed = new Set<string>();
  /** The holders of registrations in progress. */
  readonly unconfirmed: string[] = [];

  async seal(holderId: string, person: Partial<HolderDetails>): Promise<string> {
    if (this.destroyed.has(holderId)) throw new KeyDestroyed(`The key of ${holderId} was destroyed`);
    return `sealed for ${holderId}: ${reversed(JSON.stringify(person))}`;
  }

  async unseal(): Promise<Partial<HolderDetails> | undefined> {
    throw new Error('The gateway never unseals');
  }

  async fingerprint(holderId: string, text: string): Promise<string> {
    return sha256(`${holderId} ${text}`);
  }

  async destroy(holderId: string): Promise<void> {
    this.destroyed.add(holderId);
  }

  async prepare(holderId: string): Promise<void> {
    this.unconfirmed.push(holderId);
  }

  async discard(holderId: string): Promise<void> {
    const at = this.unconfirmed.indexOf(holderId);
    if (at >= 0) this.unconfirmed.splice(at, 1);
  }

  async confirm(): Promise<void> {
    throw new Error('The gateway never confirms');
  }
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
