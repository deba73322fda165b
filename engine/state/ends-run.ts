/** True for errors after which this run must not continue. */
export const endsRun = (error: unknown): boolean => error instanceof ExchangeReset || error instanceof LeaseLost;

/** The exchange refuses the API key: this run of the account must end, and the key must be checked. */
export class KeyRefused extends Error {
  constructor(message: string) {
    super(`The exchange refuses the API key. ${message}`);
    this.name = 'KeyRefused';
  }
}

/** The lease of the account has passed to another worker: this run of the account must end. */
export class LeaseLost extends Error {
  constructor() {
    super('Another worker has taken over this account; this one stops trading it.');
    this.name = 'LeaseLost';
  }
}

/** The exchange was reset: this run of the account ends, and the next run starts in the new epoch. */
export class ExchangeReset extends Error {
  constructor({ orders, positions }: { readonly orders: number; readonly positions: number }) {
    super(
      `The exchange knows none of the account's earlier orders: it was reset, or the API key belongs to another account. ${orders} open orders and ${positions} recorded positions or prices are void. The worker buys nothing until you confirm the reset.`,
    );
    this.name = 'ExchangeReset';
  }
}
