// Interleaves two requests: suspends one after its reads and before its first write, and serves the
// other completely in the meantime.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import { MysqlClient } from '../../../src/kernel/db/drivers/mysql-client.ts';

/** Suspends a request before its first write. */
interface Gate {
  readonly reached: () => void;
  readonly opened: Promise<void>;
}

/** The header that marks the request to suspend. */
export const gated = 'x-test-gate';

const isWrite = /^\s*(insert|update|delete)/i;

interface Queries {
  _query: (this: void, connection: unknown, query: { sql?: string }) => Promise<unknown>;
}

/** Suspends marked requests of a server before their first write, on MySQL. */
export class Gates {
  private readonly served = new AsyncLocalStorage<Gate>();
  private next: Gate | undefined;
  private readonly restore: () => void;

  constructor(server: Server) {
    const [listener] = server.listeners('request') as ((...args: unknown[]) => void)[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const gate = request.headers[gated] === undefined ? undefined : this.next;
      if (!gate) return listener!(request, response);
      this.served.run(gate, () => listener!(request, response));
    });
    const queries = MysqlClient.prototype as unknown as Queries;
    const plain = queries._query;
    const { served } = this;
    queries._query = async function (connection, query) {
      const gate = served.getStore();
      if (gate && isWrite.test(query.sql ?? '')) {
        gate.reached();
        await gate.opened;
      }
      return Reflect.apply(plain, this, [connection, query]) as Promise<unknown>;
    };
    this.restore = () => {
      queries._query = plain;
    };
  }

  /**
   * Runs `first` up to its first write, then `second` completely, then the rest of `first`.
   * @returns both results
   */
  async interleave<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let reached = (): void => undefined;
    const waits = new Promise<void>((resolve) => (reached = resolve));
    this.next = { reached, opened };
    const one = first();
    await Promise.race([waits, one.catch(() => undefined)]); // a refused request never writes
    try {
      const other = await second();
      open();
      return [await one, other];
    } finally {
      open();
    }
  }

  close(): void {
    this.restore();
  }
}
