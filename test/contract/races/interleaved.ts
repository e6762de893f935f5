// Two requests of which one has read all it will read, and not written yet, while the other is
// served from its beginning to its end.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import { MysqlClient } from '../../../src/kernel/db/mysql-client.ts';

/** Where a request waits before its first write. */
interface Gate {
  readonly reached: () => void;
  readonly opened: Promise<void>;
}

/** The header of the request that waits. */
export const gated = 'x-test-gate';

const isWrite = /^\s*(insert|update|delete)/i;

interface Queries {
  _query: (this: void, connection: unknown, query: { sql?: string }) => Promise<unknown>;
}

/** Lets the requests of a server wait at gates, on MySQL. */
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
   * Sends `first` up to its first write, then `second` whole, then lets `first` go on.
   * @returns what both answered
   */
  async interleave<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let reached = (): void => undefined;
    const waits = new Promise<void>((resolve) => (reached = resolve));
    this.next = { reached, opened };
    const one = first();
    await Promise.race([waits, one.catch(() => undefined)]); // what refuses writes nothing
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
