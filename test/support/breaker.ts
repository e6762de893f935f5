// A database that fails on purpose: one statement that writes, some way ahead, as if the disk were
// broken.
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
    // A transaction's client shares nothing with the database's but the prototype.
    const client = Object.getPrototypeOf((db as unknown as { client: object }).client) as Client;
    const original = client._query;
    const isHit = ({ sql }: Query): boolean => {
      const hit = /^(insert|update|delete)/i.test(sql) && this.left > 0 && --this.left === 0;
      this.broken ||= hit;
      return hit;
    };
    client._query = async function (connection, query) {
      if (isHit(query)) throw new Error('injected: the disk is full');
      return original.call(this, connection, query);
    };
    this.mend = () => void (client._query = original);
  }

  /** The n-th statement that writes from now on fails. */
  arm(n: number): void {
    this.left = n;
  }

  disarm(): void {
    this.left = 0;
    this.broken = false;
  }
}
