// Tests of how the errors of both databases are classified. Each error is a real one.
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
  retryOnConstraint,
} from '../../../src/kernel/db/errors.ts';
import { ApiError, notFound, unavailable } from '../../../src/kernel/errors.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

async function errorOf(operation: Promise<unknown>): Promise<unknown> {
  try {
    await operation;
  } catch (error) {
    return error;
  }
  throw new Error('expected an error');
}

/** The classes of an error. */
function kindsOf(error: unknown): string[] {
  const kinds = {
    duplicate: isDuplicate,
    'foreign key': isForeignKey,
    deadlock: isDeadlock,
    unreachable: isUnreachable,
    'out of range': isOutOfRange,
  };
  return Object.entries(kinds)
    .filter(([, is]) => is(error))
    .map(([kind]) => kind);
}

onEachDatabase('database errors', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  const insert = (row: object): Promise<unknown> =>
    Promise.resolve(db()('cumulet_locks').insert(row));

  beforeEach(() => db()('cumulet_locks').delete());

  it('recognise a duplicate primary key, and name it', async () => {
    await insert({ name: 'a', acquired: 1 });
    const error = await errorOf(insert({ name: 'a', acquired: 2 }));
    expect(kindsOf(error)).to.deep.equal(['duplicate']);
    expect(duplicateKey(error)).to.match(
      world.kind === 'sqlite' ? /cumulet_locks\.name/ : /PRIMARY/,
    );
  });

  it('recognise a duplicate of another unique key, and name it', async () => {
    const row = { uuid: 'u', name: 'a', created_at: 0 };
    await db()('placement_providers').insert(row);
    const error = await errorOf(
      Promise.resolve(db()('placement_providers').insert({ ...row, uuid: 'v' })),
    );
    expect(kindsOf(error)).to.deep.equal(['duplicate']);
    expect(duplicateKey(error)).to.match(/placement_providers[._]name/);
  });

  it('recognise a missing parent row, and the deletion of one that is referred to', async () => {
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

  it('turn a value that is too long into 400 (SQLite accepts it)', async () => {
    const name = 'x'.repeat(101);
    if (world.kind === 'sqlite') return void (await insert({ name, acquired: 1 }));
    const error = await errorOf(insert({ name, acquired: 1 }));
    expect(kindsOf(error)).to.deep.equal(['out of range']);
    expect((asApiError(error) as ApiError).status).to.equal(400);
  });

  it('become a SerializationFailure in retryOnConstraint if a key causes them', async () => {
    const refusal = (): ApiError => unavailable('busy');
    const row = { name: 'a', acquired: 1 };
    await retryOnConstraint(insert(row), refusal);
    const failure = await errorOf(retryOnConstraint(insert(row), refusal));
    expect(failure).to.be.an.instanceof(SerializationFailure);
    expect(asApiError(failure)).to.include({ status: 503, message: 'busy' });
    const other = await errorOf(retryOnConstraint(insert({ nothing: 1 }), refusal));
    expect(other).not.to.be.an.instanceof(SerializationFailure);
  });

  it('pass through for an invalid statement', async () => {
    const error = await errorOf(Promise.resolve(db().raw('SELECT nothing FROM jobs')));
    expect(kindsOf(error)).to.deep.equal([]);
    expect(asApiError(error)).to.equal(error);
  });
});

describe('asApiError', () => {
  it('passes other errors through', () => {
    for (const error of [new Error('x'), new TypeError('y'), 'text', undefined]) {
      expect(kindsOf(error)).to.deep.equal([]);
      expect(asApiError(error)).to.equal(error);
    }
  });

  it('returns the API error of a SerializationFailure', () => {
    const error = unavailable('later');
    expect(asApiError(new SerializationFailure(error))).to.equal(error);
  });

  it('passes an API error through that quotes a message of a driver', () => {
    for (const message of ['aborted', 'No network is named "database is not open".']) {
      const error = notFound(message);
      expect(kindsOf(error)).to.deep.equal([]);
      expect(asApiError(error)).to.equal(error);
    }
  });

  it('returns 503 for an unreachable server', async () => {
    const error = await errorOf(createConnection({ host: '127.0.0.1', port: 1 }));
    expect(kindsOf(error)).to.deep.equal(['unreachable']);
    expect((asApiError(error) as ApiError).status).to.equal(503);
  });

  it('returns 503 for a deadlock', () => {
    const error = Object.assign(new Error('Deadlock found'), {
      errno: 1213,
      code: 'ER_LOCK_DEADLOCK',
    });
    expect((asApiError(error) as ApiError).status).to.equal(503);
  });
});
