// The Knex client for MySQL, which connects again where the server's queue of new connections was full.
import { createRequire } from 'node:module';
import { pause } from '../clock.ts';

const require = createRequire(import.meta.url);
// The deep path is why package.json pins Knex.
const Mysql2Client = require('knex/lib/dialects/mysql2/index.js') as new (...args: unknown[]) => {
  acquireRawConnection(): Promise<unknown>;
};

/** How often a connection is tried: each pause is longer than the one before. */
const tries = 4;

/** A burst of new connections overflows the server's queue: some are reset, others never answered. A server that is down refuses them. */
const isOverflow = (error: unknown): boolean => ['ECONNRESET', 'ETIMEDOUT'].includes((error as { code?: string }).code ?? '');

/** The Knex client. */
export class MysqlClient extends Mysql2Client {
  override async acquireRawConnection(): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.acquireRawConnection();
      } catch (error) {
        if (!isOverflow(error) || attempt === tries) throw error;
        await pause(10 * 2 ** attempt);
      }
    }
  }
}
