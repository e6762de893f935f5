// Tests of transactions that run again after conflicts, and of named locks.
import { expect } from 'chai';
import { SerializationFailure, isDuplicate } from '../../../src/kernel/db/errors.ts';
import {
  acquireLock,
  inSavepoint,
  once,
  transact,
  tryAcquireLock,
} from '../../../src/kernel/db/transaction.ts';
import { conflict, unavailable } from '../../../src/kernel/errors.ts';
import { noContent } from '../../../src/kernel/http/reply.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { toy, withToy } from '../toy.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

const deadlock = (): Error =>
  Object.assign(new Error('Deadlock found when trying to get lock'), {
    errno: 1213,
    code: 'ER_LOCK_DEADLOCK',
  });

onEachDatabase('a transaction', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  const locks = (on: Db) => on<{ name: string; acquired: number }>('cumulet_locks');
  /** The locks, except that of transactions that retry. */
  const names = async (on = db()): Promise<string[]> =>
    (await locks(on)
      .whereNot({ name: 'cumulet.retries' })
      .orderBy('name')
      .pluck('name')) as string[];

  beforeEach(() => locks(db()).delete());

  it('commits once, and returns the result', async () => {
    let runs = 0;
    const given = await transact(db(), async (trx) => {
      runs++;
      await locks(trx).insert({ name: 'a', acquired: 1 });
      return 'done';
    });
    expect([given, runs, await names()]).to.deep.equal(['done', 1, ['a']]);
  });

  it('is rolled back by an API error, and does not run again', async () => {
    let runs = 0;
    const run = async (trx: Db): Promise<void> => {
      runs++;
      await locks(trx).insert({ name: 'a', acquired: 1 });
      throw conflict('no');
    };
    expect(await transact(db(), run).catch((error: Error) => error.message)).to.equal('no');
    expect([runs, await names()]).to.deep.equal([1, []]);
  });

  for (const [what, error] of [
    ['a deadlock', deadlock],
    ['a SerializationFailure', () => new SerializationFailure(conflict('x'))],
  ] as const) {
    it(`runs again after ${what}, without the writes of the failed attempts`, async () => {
      const seen: string[][] = [];
      await transact(db(), async (trx) => {
        seen.push(await names(trx));
        await locks(trx).insert({ name: `try ${seen.length}`, acquired: 1 });
        if (seen.length < 3) throw error();
      });
      expect(seen).to.deep.equal([[], [], []]);
      expect(await names()).to.deep.equal(['try 3']);
    });
  }

  it('starts with lockOnRetry from the second attempt on', async () => {
    const events: string[] = [];
    const lock = (trx: Db) => {
      events.push('lock');
      return acquireLock(trx, 'contended');
    };
    await transact(db(), async (_trx, attempt) => {
      events.push(`attempt ${attempt}`);
      if (attempt < 4) throw new SerializationFailure(conflict('x'), lock);
    });
    expect(events).to.deep.equal([
      'attempt 1',
      'lock',
      'attempt 2',
      'lock',
      'attempt 3',
      'lock',
      'attempt 4',
    ]);
  });

  it('starts with the lock of all retries after a deadlock', async () => {
    const retries = async (): Promise<number> =>
      Number((await locks(db()).where({ name: 'cumulet.retries' }).first())?.acquired ?? 0);
    let seen = 0;
    await transact(db(), async (trx, attempt) => {
      seen = Number((await locks(trx).where({ name: 'cumulet.retries' }).first())?.acquired ?? 0);
      if (attempt < 4) throw deadlock();
    });
    expect([seen, await retries()]).to.deep.equal([1, 1]); // only the last attempt is kept
  });

  it('runs again after a duplicate key, and fails if that persists', async () => {
    let runs = 0;
    await transact(db(), async (trx) => {
      await locks(trx).insert({ name: 'a', acquired: 1 });
      if (++runs === 1) await locks(trx).insert({ name: 'a', acquired: 2 });
    });
    expect([runs, await names()]).to.deep.equal([2, ['a']]);
    runs = 0;
    const wrong = transact(db(), async (trx) => {
      runs++;
      await locks(trx).insert({ name: 'a', acquired: 3 });
    });
    expect(await wrong.catch((error: unknown) => isDuplicate(error))).to.equal(true);
    expect(runs).to.be.within(2, 5);
  });

  it('throws the error of the last attempt', async function () {
    let runs = 0;
    const run = async (): Promise<never> => {
      throw new SerializationFailure(conflict(`try ${++runs}`));
    };
    const error = await transact(db(), run).catch((thrown: unknown) => thrown);
    expect(runs).to.be.within(5, 50);
    expect((error as SerializationFailure).apiError.message).to.equal(`try ${runs}`);
  });

  it('runs again after a deadlock at COMMIT', async () => {
    // A database whose first commit fails, as on Galera.
    let runs = 0;
    const flaky = {
      transaction: async <T>(run: (trx: Db) => Promise<T>): Promise<T> => {
        const done = await db().transaction(async (trx) => {
          const result = await run(trx);
          if (++runs === 1) throw deadlock();
          return result;
        });
        return done;
      },
    } as unknown as Db;
    await transact(flaky, (trx) => Promise.resolve(locks(trx).insert({ name: 'a', acquired: 1 })));
    expect([runs, await names()]).to.deep.equal([2, ['a']]);
  });

  it('runs the whole handler of a request again', async () => {
    let runs = 0;
    const service = toy([
      {
        method: 'POST',
        path: '/locks',
        handler: async (call) => {
          await locks(call.db).insert({ name: `try ${++runs}`, acquired: 1 });
          if (runs < 3) throw deadlock();
          return noContent();
        },
      },
    ]);
    await supertest(serverFor({ cloud: withToy(world.cloud, service) }))
      .post('/toy/locks')
      .expect(204);
    expect(await names()).to.deep.equal(['try 3']);
  });

  it('returns 503 after the last attempt, and writes nothing', async function () {
    const service = toy([
      {
        method: 'POST',
        path: '/locks',
        handler: async (call) => {
          await locks(call.db).insert({ name: 'a', acquired: 1 });
          throw new SerializationFailure(unavailable('busy'));
        },
      },
    ]);
    await supertest(serverFor({ cloud: withToy(world.cloud, service) }))
      .post('/toy/locks')
      .expect(503, { toy: 'busy' });
    expect(await names()).to.deep.equal([]);
  });

  it('acquires a lock: concurrent increments lose no update', async () => {
    await locks(db()).insert({ name: 'count', acquired: 0 });
    const increment = (): Promise<void> =>
      transact(db(), async (trx) => {
        await acquireLock(trx, 'counting');
        const { acquired } = (await locks(trx).where({ name: 'count' }).first('acquired'))!;
        await locks(trx)
          .where({ name: 'count' })
          .update({ acquired: Number(acquired) + 1 });
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    expect(Number((await locks(db()).where({ name: 'count' }).first())!.acquired)).to.equal(20);
    expect(Number((await locks(db()).where({ name: 'counting' }).first())!.acquired)).to.equal(20);
  });

  it('runs again if another transaction has acquired its lock after its first read', async () => {
    await locks(db()).insert({ name: 'count', acquired: 0 });
    const increment = (): Promise<void> =>
      transact(db(), async (trx) => {
        const { acquired } = (await locks(trx).where({ name: 'count' }).first('acquired'))!;
        await tryAcquireLock(trx, 'counting', () => conflict('no'));
        await locks(trx)
          .where({ name: 'count' })
          .update({ acquired: Number(acquired) + 1 });
      });
    await Promise.all(Array.from({ length: 10 }, increment));
    expect(Number((await locks(db()).where({ name: 'count' }).first())!.acquired)).to.equal(10);
  });

  it('releases its lock if it fails', async () => {
    await transact(db(), async (trx) => {
      await acquireLock(trx, 'a');
      throw conflict('no');
    }).catch(() => undefined);
    expect(await names()).to.deep.equal([]);
  });

  const add = (on: Db, name: string): Promise<unknown> =>
    locks(on).insert({ name, acquired: 1 }).then(String);
  const fail = (): never => {
    throw conflict('no');
  };

  it('undoes what a savepoint that fails has written, and nothing else', async () => {
    const tried = await transact(db(), async (trx) => {
      await add(trx, 'before');
      const failed = await inSavepoint(trx, async (inner) => {
        await names(inner);
        await add(inner, 'within');
        fail();
      });
      const after = await inSavepoint(trx, (inner) => add(inner, 'after'));
      return [failed, after] as const;
    });
    expect(tried[0]).to.have.nested.property('error.message', 'no');
    expect(tried[1]).to.have.property('value');
    expect(await names()).to.deep.equal(['after', 'before']);
  });

  it('keeps what was written before a savepoint that only reads and fails', async () => {
    await transact(db(), async (trx) => {
      await add(trx, 'before');
      const read = await inSavepoint(trx, (inner) => names(inner));
      expect(read).to.deep.equal({ value: ['before'] });
      await inSavepoint(trx, async (inner) => {
        await names(inner);
        fail();
      });
      await add(trx, 'after');
    });
    expect(await names()).to.deep.equal(['after', 'before']);
  });

  it('undoes a savepoint with those in it', async () => {
    await transact(db(), async (trx) => {
      await inSavepoint(trx, async (outer) => {
        await inSavepoint(outer, (inner) => names(inner));
        await inSavepoint(outer, (inner) => add(inner, 'inner'));
        await add(outer, 'outer');
        fail();
      });
      await inSavepoint(trx, async (outer) => {
        await inSavepoint(outer, async (inner) => {
          await add(inner, 'undone');
          fail();
        });
        await add(outer, 'kept');
      });
    });
    expect(await names()).to.deep.equal(['kept']);
  });

  it('runs again as a whole after a conflict in a savepoint', async () => {
    let runs = 0;
    await transact(db(), async (trx) => {
      await inSavepoint(trx, async (inner) => {
        await add(inner, `run ${++runs}`);
        if (runs === 1) throw new SerializationFailure(conflict('x'));
      });
    });
    expect([runs, await names()]).to.deep.equal([2, ['run 2']]);
  });

  it('runs once what is asked of it twice, and another transaction again', async () => {
    let reads = 0;
    const read = (on: Db): Promise<number> => once(on, 'a number', async () => ++reads);
    const twice = (): Promise<number[]> =>
      transact(db(), async (trx) => [
        await read(trx),
        ((await inSavepoint(trx, read)) as { value: number }).value,
      ]);
    expect([await twice(), await twice()]).to.deep.equal([
      [1, 1],
      [2, 2],
    ]);
    expect([await read(db()), await read(db())]).to.deep.equal([3, 4]);
  });

  it('does again what a savepoint that was rolled back has done', async () => {
    const addOnce = (on: Db): Promise<unknown> => once(on, 'add', () => add(on, 'once'));
    await transact(db(), async (trx) => {
      await inSavepoint(trx, async (inner) => {
        await addOnce(inner);
        fail();
      });
      await inSavepoint(trx, addOnce);
      await addOnce(trx);
    });
    expect(await names()).to.deep.equal(['once']);
  });

  if (world.kind === 'mysql') {
    it('succeeds after a real deadlock of two transactions', async () => {
      await locks(db()).insert([
        { name: 'a', acquired: 0 },
        { name: 'b', acquired: 0 },
      ]);
      let met = 0;
      let meet = (): void => undefined;
      const both = new Promise<void>((resolve) => (meet = resolve));
      const runs: string[] = [];
      const crosswise = (first: string, second: string): Promise<void> =>
        transact(db(), async (trx) => {
          runs.push(first);
          await locks(trx).where({ name: first }).increment('acquired');
          if (++met === 2) meet();
          await both;
          await locks(trx).where({ name: second }).increment('acquired');
        });
      await Promise.all([crosswise('a', 'b'), crosswise('b', 'a')]);
      expect(runs).to.have.length.greaterThan(2);
      expect(
        (await locks(db()).whereIn('name', ['a', 'b']).orderBy('name').pluck('acquired')).map(
          Number,
        ),
      ).to.deep.equal([2, 2]);
    });

    it('succeeds among many that deadlock with each other repeatedly', async () => {
      const rows = ['a', 'b', 'c', 'd'];
      await locks(db()).insert(rows.map((name) => ({ name, acquired: 0 })));
      const clients = 12;
      const each = 5;
      const incrementAll = async (client: number): Promise<void> => {
        for (let time = 0; time < each; time++)
          await transact(db(), async (trx) => {
            // All lock the four rows, each starting with another one, half of them backwards.
            for (let step = 0; step < rows.length; step++) {
              const at = client % 2 ? client + step : client + rows.length - step;
              await locks(trx)
                .where({ name: rows[at % rows.length]! })
                .increment('acquired');
            }
          });
      };
      await Promise.all(Array.from({ length: clients }, (_, client) => incrementAll(client)));
      const counts = (await locks(db()).whereIn('name', rows).pluck('acquired')).map(Number);
      expect(counts).to.deep.equal(rows.map(() => clients * each));
    });
  }
});
