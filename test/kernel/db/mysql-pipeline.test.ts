// Tests of the MySQL pipeline: which statements share a packet, and which are never sent.
import { expect } from 'chai';
import { FailedStatement, Pipeline } from '../../../src/kernel/db/drivers/mysql-pipeline.ts';
import { SerializationFailure } from '../../../src/kernel/db/errors.ts';
import { conflict } from '../../../src/kernel/errors.ts';

describe('the MySQL pipeline', () => {
  let packets: string[][];
  let pipeline: Pipeline;

  beforeEach(() => {
    packets = [];
    pipeline = new Pipeline(async (texts) => {
      packets.push([...texts]);
      await Promise.resolve();
      if (texts.includes('fail')) throw new Error('it failed');
      return texts.map((text) => [`answer to ${text}`, undefined]);
    });
  });

  const execute = async (text: string, deferred = false): Promise<unknown> =>
    (await pipeline.execute(text, { deferred }))[0];

  it('sends concurrent statements in one packet, in order, and returns each result', async () => {
    expect(await Promise.all(['a', 'b', 'c'].map((text) => execute(text)))).to.deep.equal([
      'answer to a',
      'answer to b',
      'answer to c',
    ]);
    expect(packets).to.deep.equal([['a', 'b', 'c']]);
  });

  it('sends a statement when the result of the packet before it has arrived', async () => {
    const first = execute('a').then(() => execute('b'));
    const other = execute('c').then(() => execute('d'));
    await Promise.all([first, other]);
    expect(packets).to.deep.equal([
      ['a', 'c'],
      ['b', 'd'],
    ]);
  });

  it('sends transaction boundaries and deferred writes with the next statement', async () => {
    await execute('BEGIN;');
    await execute('SAVEPOINT trx1;');
    await execute('a', true);
    expect(packets).to.deep.equal([]);
    expect(await execute('b')).to.equal('answer to b');
    await execute('RELEASE SAVEPOINT trx1;');
    await execute('c', true);
    await execute('COMMIT;');
    expect(packets).to.deep.equal([
      ['BEGIN', 'SAVEPOINT trx1', 'a', 'b'],
      ['RELEASE SAVEPOINT trx1', 'c', 'COMMIT'],
    ]);
  });

  it('keeps the order of a deferred write between other statements', async () => {
    await execute('BEGIN;');
    await Promise.all([execute('a'), execute('b', true), execute('c')]);
    expect(packets).to.deep.equal([['BEGIN', 'a', 'b', 'c']]);
  });

  it('sends nothing for a transaction without statements', async () => {
    await execute('BEGIN;');
    await execute('SAVEPOINT trx1;');
    await execute('RELEASE SAVEPOINT trx1;');
    await execute('COMMIT;');
    expect(packets).to.deep.equal([]);
    await execute('a');
    expect(packets).to.deep.equal([['a']]);
  });

  it('defers nothing outside a transaction', async () => {
    await execute('a', true);
    await execute('BEGIN;');
    await execute('b');
    await execute('COMMIT;');
    await execute('c', true);
    expect(packets).to.deep.equal([['a'], ['BEGIN', 'b'], ['COMMIT'], ['c']]);
  });

  it('discards unsent statements on rollback', async () => {
    await execute('BEGIN;');
    await execute('a', true);
    await execute('ROLLBACK');
    expect(packets).to.deep.equal([]);
    await execute('BEGIN;');
    await execute('b');
    await execute('c', true);
    await execute('ROLLBACK');
    expect(packets).to.deep.equal([['BEGIN', 'b'], ['ROLLBACK']]);
  });

  it('discards only the unsent statements of a nested transaction when it rolls back', async () => {
    await execute('BEGIN;');
    await execute('a', true);
    await execute('SAVEPOINT trx1;');
    await execute('b', true);
    await execute('ROLLBACK TO SAVEPOINT trx1');
    await execute('c');
    await execute('SAVEPOINT trx2;');
    await execute('d');
    await execute('e', true);
    await execute('ROLLBACK TO SAVEPOINT trx2');
    await execute('COMMIT;');
    expect(packets).to.deep.equal([
      ['BEGIN', 'a', 'c'],
      ['SAVEPOINT trx2', 'd'],
      ['ROLLBACK TO SAVEPOINT trx2'],
      ['COMMIT'],
    ]);
  });

  it('rolls back if the packet with the COMMIT fails', async () => {
    await execute('BEGIN;');
    await execute('a');
    await execute('fail', true);
    expect(await execute('COMMIT;').catch((error: Error) => error.message)).to.equal('it failed');
    expect(packets).to.deep.equal([['BEGIN', 'a'], ['fail', 'COMMIT'], ['ROLLBACK']]);
  });

  it('fails every statement but ROLLBACK after a deferred write has failed', async () => {
    await execute('BEGIN;');
    await execute('fail', true);
    for (const text of ['a', 'b', 'ROLLBACK TO SAVEPOINT trx1', 'COMMIT;'])
      expect(await execute(text).catch((error: Error) => error.message)).to.equal('it failed');
    // The failed COMMIT has rolled back already; a second ROLLBACK is harmless.
    await execute('ROLLBACK');
    expect(await execute('c')).to.equal('answer to c');
    expect(packets).to.deep.equal([['BEGIN', 'fail', 'a'], ['ROLLBACK'], ['ROLLBACK'], ['c']]);
  });

  it('fails all statements of a packet, and none after it', async () => {
    const failed = await Promise.allSettled([execute('a'), execute('fail'), execute('b')]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(await execute('c')).to.equal('answer to c');
  });

  describe('a guarded write', () => {
    const guardOf = (name: string, rows?: number) => ({
      guard: { rows, failure: () => new SerializationFailure(conflict(`${name} lost`)) },
    });
    const check = (rows: number): string =>
      `SET @cumulet_guard = IF(ROW_COUNT() = ${rows}, 1, (SELECT 1 UNION SELECT 2))`;
    const messageOf = (result: Promise<unknown>): Promise<unknown> =>
      result.catch((error: Error) => error.message);
    /** Makes the server fail at a statement, as the driver reports it. */
    const failAt = (text: string, errno: number): void => {
      pipeline = new Pipeline(async (texts) => {
        packets.push([...texts]);
        await Promise.resolve();
        const at = texts.indexOf(text);
        if (at < 0) return texts.map(() => ['fine', undefined]);
        throw new FailedStatement(Object.assign(new Error('the server failed'), { errno }), at);
      });
    };

    it('is sent with COMMIT, followed by its check, and reports the rows that it must change', async () => {
      await execute('BEGIN;');
      expect(await pipeline.execute('a', guardOf('a', 3))).to.deep.equal([
        { affectedRows: 3, insertId: 0 },
        undefined,
      ]);
      await pipeline.execute('b', guardOf('b'));
      await execute('COMMIT;');
      expect(packets).to.deep.equal([['BEGIN', 'a', check(3), 'b', 'COMMIT']]);
    });

    it('is sent at once outside of a transaction, without a check', async () => {
      expect(await pipeline.execute('a', guardOf('a', 1))).to.deep.equal([
        'answer to a',
        undefined,
      ]);
      expect(packets).to.deep.equal([['a']]);
    });

    it('fails COMMIT with its own error if it changes another number of rows', async () => {
      failAt(check(2), 1242);
      await execute('BEGIN;');
      await pipeline.execute('a', guardOf('a', 1));
      await pipeline.execute('b', guardOf('b', 2));
      expect(await messageOf(execute('COMMIT;'))).to.equal('b lost');
      expect(packets.at(-1)).to.deep.equal(['ROLLBACK']);
    });

    it('fails COMMIT with its own error if it violates a unique or foreign key', async () => {
      for (const errno of [1062, 1452]) {
        failAt('a', errno);
        await execute('BEGIN;');
        await pipeline.execute('a', guardOf('a'));
        expect(await messageOf(execute('COMMIT;'))).to.equal('a lost');
      }
    });

    it('keeps the error of the server for a deadlock, and fails every statement after it', async () => {
      failAt('a', 1213);
      await execute('BEGIN;');
      await pipeline.execute('a', guardOf('a', 1));
      for (const text of ['b', 'COMMIT;'])
        expect(await messageOf(execute(text))).to.equal('the server failed');
    });

    it('has run if a statement after it fails, so that the transaction goes on', async () => {
      failAt('b', 1062);
      await execute('BEGIN;');
      await pipeline.execute('a', guardOf('a', 1));
      expect(await messageOf(execute('b'))).to.equal('the server failed');
      for (const text of ['c', 'COMMIT;']) expect(await execute(text)).to.equal('fine');
    });

    it('fails the next statement, and every one after it but ROLLBACK', async () => {
      failAt(check(1), 1242);
      await execute('BEGIN;');
      await pipeline.execute('a', guardOf('a', 1));
      for (const text of ['b', 'c', 'COMMIT;'])
        expect(await messageOf(execute(text))).to.equal('a lost');
      expect(packets).to.deep.equal([['BEGIN', 'a', check(1), 'b'], ['ROLLBACK']]);
    });
  });
});
