/** One company in one environment. */
export class LoadAccount {
  private sequence = 0;

  constructor(
    readonly name: string,
    readonly companyId: string,
    readonly environment: 'sandbox' | 'live',
    readonly key: string,
    /** The active holders. */
    readonly holderIds: readonly string[],
  ) {}

  get stream(): string {
    return `account-${this.companyId}-${this.environment}`;
  }

  /**
   * A whole-dollar amount that no other request of this account has. The checks find the effects of a request by its
   * amount, without ids from the product, and notice a second effect.
   */
  uniqueDollars(): number {
    return 10 + this.sequence++;
  }
}
