// Tests of what the errors of both databases are taken for: each is made to happen for real.
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import {
  asApiError,
  SerializationFailure,
  duplicateKey,
  isDeadlock,
  isDuplicate,
  isForeignKey,
  isUnreachable,
  isOutOfRange,
} from '../../../src/kernel/db/errors.ts';
import { ApiError, unavailable } from '../../../src/kernel/errors.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('that was to fail');
}

/** What an error counts as. */
function kindsOf(error: unknown): string[] {
  const kinds = {
    duplicate: isDuplicate,
    'foreign key': isForeignKey,
    deadlock: isDeadlock,
    gone: isUnreachable,
    unfit: isOutOfRange,
  };
  return Object.entries(kinds)
    .filter(([, is]) => is(error))
    .map(([kind]) => kind);
}

onEachDatabase('errors of the database', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  const insert = (row: object): Promise<unknown> =>
    Promise.resolve(db()('cumulet_locks').insert(row));

  beforeEach(() => db()('cumulet_locks').delete());

  it('know a duplicate, and its key', async () => {
    await insert({ name: 'a', acquired: 1 });
    const error = await errorOf(insert({ name: 'a', acquired: 2 }));
    expect(kindsOf(error)).to.deep.equal(['duplicate']);
    expect(duplicateKey(error)).to.match(
      world.kind === 'sqlite' ? /cumulet_locks\.name/ : /PRIMARY/,
    );
  });

  it('know a duplicate of a unique key that is not the primary one', async () => {
    const row = { uuid: 'u', name: 'a', created_at: 0 };
    await db()('placement_providers').insert(row);
    const error = await errorOf(
      Promise.resolve(db()('placement_providers').insert({ ...row, uuid: 'v' })),
    );
    expect(kindsOf(error)).to.deep.equal(['duplicate']);
    expect(duplicateKey(error)).to.match(/placement_providers[._]name/);
  });

  it('know a reference to what is not there, and the end of what is referred to', async () => {
    const dangling = { consumer_id: 999, provider_id: 999, class_id: 0, used: 1, created_at: 0 };
    expect(
      kindsOf(await errorOf(Promise.resolve(db()('placement_allocations').insert(dangling)))),
    ).to.deep.equal(['foreign key']);
    const parent = { id: 900, uuid: 'u', name: 'a', created_at: 0 };
    await db()('placement_providers').insert(parent);
    await db()('placement_providers').insert({
      id: 901,
      uuid: 'v',
      name: 'b',
      parent_id: 900,
      created_at: 0,
    });
    expect(
      kindsOf(
        await errorOf(Promise.resolve(db()('placement_providers').where({ id: 900 }).delete())),
      ),
    ).to.deep.equal(['foreign key']);
  });

  it('know a value that is too long, which only MySQL minds, and tell it as 400', async () => {
    const name = 'x'.repeat(101);
    if (world.kind === 'sqlite') return void (await insert({ name, acquired: 1 }));
    const error = await errorOf(insert({ name, acquired: 1 }));
    expect(kindsOf(error)).to.deep.equal(['unfit']);
    expect((asApiError(error) as ApiError).status).to.equal(400);
  });

  it('are nothing of all that where the statement is wrong', async () => {
    const error = await errorOf(Promise.resolve(db().raw('SELECT nothing FROM jobs')));
    expect(kindsOf(error)).to.deep.equal([]);
    expect(asApiError(error)).to.equal(error);
  });
});

describe('errors of no database', () => {
  it('pass through', () => {
    for (const error of [new Error('x'), new TypeError('y'), 'text', undefined]) {
      expect(kindsOf(error)).to.deep.equal([]);
      expect(asApiError(error)).to.equal(error);
    }
  });

  it('tell a contention by its own fault', () => {
    const error = unavailable('later');
    expect(asApiError(new SerializationFailure(error))).to.equal(error);
  });

  it('know a server that cannot be reached, and tell it as 503', async () => {
    const error = await errorOf(createConnection({ host: '127.0.0.1', port: 1 }));
    expect(kindsOf(error)).to.deep.equal(['gone']);
    expect((asApiError(error) as ApiError).status).to.equal(503);
  });

  it('tell a deadlock as 503', () => {
    const error = Object.assign(new Error('Deadlock found'), {
      errno: 1213,
      code: 'ER_LOCK_DEADLOCK',
    });
    expect((asApiError(error) as ApiError).status).to.equal(503);
  });
});
