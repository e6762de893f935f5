// Makes one future write statement of a database fail, as if the disk were full.
import type { Db } from '../../src/kernel/db/database.ts';

interface Query {
  readonly sql: string;
}

interface Client {
  _query: (this: unknown, connection: unknown, query: Query) => Promise<unknown>;
}

export class Breaker {
  private left = 0;
  broken = false;

  readonly mend: () => void;

  constructor(db: Db) {
    // A transaction has its own client, which shares only its prototype with the database's client.
    const client = Object.getPrototypeOf((db as unknown as { client: object }).client) as Client;
    const original = client._query;
    const mustFail = ({ sql }: Query): boolean => {
      const hit = /^(insert|update|delete)/i.test(sql) && this.left > 0 && --this.left === 0;
      this.broken ||= hit;
      return hit;
    };
    client._query = async function (connection, query) {
      if (mustFail(query)) throw new Error('injected: the disk is full');
      return original.call(this, connection, query);
    };
    this.mend = () => void (client._query = original);
  }

  /** Makes the n-th write statement from now on fail. */
  arm(n: number): void {
    this.left = n;
  }

  disarm(): void {
    this.left = 0;
    this.broken = false;
  }
}
