/** One company in one environment, as its own programs know it. */
export class LoadAccount {
  private sequence = 0;

  constructor(
    readonly name: string,
    readonly companyId: string,
    readonly environment: 'sandbox' | 'live',
    readonly key: string,
    /** Holders who may have cards. */
    readonly holderIds: readonly string[],
  ) {}

  get stream(): string {
    return `account-${this.companyId}-${this.environment}`;
  }

  /**
   * Whole dollars that no other wish of this account has: by its amount the effect of a wish is found again without any
   * of the ids that the product gives, and a second effect shows.
   */
  ownDollars(): number {
    return 10 + this.sequence++;
  }
}
