// Tests of statements that go to MySQL together: what waits for what, and what is never sent.
import { expect } from 'chai';
import { Batch } from '../../../src/kernel/db/mysql-batch.ts';

describe('Statements of one connection to MySQL', () => {
  let packets: string[][];
  let batch: Batch;

  beforeEach(() => {
    packets = [];
    batch = new Batch(async (texts) => {
      packets.push([...texts]);
      await Promise.resolve();
      if (texts.includes('fail')) throw new Error('it failed');
      return texts.map((text) => [`answer to ${text}`, undefined]);
    });
  });

  const ask = async (text: string, along = false): Promise<unknown> =>
    (await batch.ask(text, along))[0];

  it('go in one packet and in their order where they are asked for at once, and each gets its answer', async () => {
    expect(await Promise.all(['a', 'b', 'c'].map((text) => ask(text)))).to.deep.equal([
      'answer to a',
      'answer to b',
      'answer to c',
    ]);
    expect(packets).to.deep.equal([['a', 'b', 'c']]);
  });

  it('wait for the packet before them', async () => {
    const first = ask('a').then(() => ask('b'));
    const other = ask('c').then(() => ask('d'));
    await Promise.all([first, other]);
    expect(packets).to.deep.equal([
      ['a', 'c'],
      ['b', 'd'],
    ]);
  });

  it('take the beginnings of transactions along, and writes that nobody waits for', async () => {
    await ask('BEGIN;');
    await ask('SAVEPOINT trx1;');
    await ask('a', true);
    expect(packets).to.deep.equal([]);
    expect(await ask('b')).to.equal('answer to b');
    await ask('RELEASE SAVEPOINT trx1;');
    await ask('c', true);
    await ask('COMMIT;');
    expect(packets).to.deep.equal([
      ['BEGIN', 'SAVEPOINT trx1', 'a', 'b'],
      ['RELEASE SAVEPOINT trx1', 'c', 'COMMIT'],
    ]);
  });

  it('keep their order where one that nobody waits for comes in between', async () => {
    await ask('BEGIN;');
    await Promise.all([ask('a'), ask('b', true), ask('c')]);
    expect(packets).to.deep.equal([['BEGIN', 'a', 'b', 'c']]);
  });

  it('are not sent of a transaction that asks for nothing', async () => {
    await ask('BEGIN;');
    await ask('SAVEPOINT trx1;');
    await ask('RELEASE SAVEPOINT trx1;');
    await ask('COMMIT;');
    expect(packets).to.deep.equal([]);
    await ask('a');
    expect(packets).to.deep.equal([['a']]);
  });

  it('do not wait outside of a transaction', async () => {
    await ask('a', true);
    await ask('BEGIN;');
    await ask('b');
    await ask('COMMIT;');
    await ask('c', true);
    expect(packets).to.deep.equal([['a'], ['BEGIN', 'b'], ['COMMIT'], ['c']]);
  });

  it('that have not been sent are forgotten by a rollback', async () => {
    await ask('BEGIN;');
    await ask('a', true);
    await ask('ROLLBACK');
    expect(packets).to.deep.equal([]);
    await ask('BEGIN;');
    await ask('b');
    await ask('c', true);
    await ask('ROLLBACK');
    expect(packets).to.deep.equal([['BEGIN', 'b'], ['ROLLBACK']]);
  });

  it('of a nested transaction are forgotten by its rollback, and those before it are not', async () => {
    await ask('BEGIN;');
    await ask('a', true);
    await ask('SAVEPOINT trx1;');
    await ask('b', true);
    await ask('ROLLBACK TO SAVEPOINT trx1');
    await ask('c');
    await ask('SAVEPOINT trx2;');
    await ask('d');
    await ask('e', true);
    await ask('ROLLBACK TO SAVEPOINT trx2');
    await ask('COMMIT;');
    expect(packets).to.deep.equal([
      ['BEGIN', 'a', 'c'],
      ['SAVEPOINT trx2', 'd'],
      ['ROLLBACK TO SAVEPOINT trx2'],
      ['COMMIT'],
    ]);
  });

  it('end a transaction whose COMMIT did not come about', async () => {
    await ask('BEGIN;');
    await ask('a');
    await ask('fail', true);
    expect(await ask('COMMIT;').catch((error: Error) => error.message)).to.equal('it failed');
    expect(packets).to.deep.equal([['BEGIN', 'a'], ['fail', 'COMMIT'], ['ROLLBACK']]);
  });

  it('can only be rolled back when one that nobody waited for has failed', async () => {
    await ask('BEGIN;');
    await ask('fail', true);
    for (const text of ['a', 'b', 'ROLLBACK TO SAVEPOINT trx1', 'COMMIT;'])
      expect(await ask(text).catch((error: Error) => error.message)).to.equal('it failed');
    await ask('ROLLBACK'); // the COMMIT has done that already; another does no harm
    expect(await ask('c')).to.equal('answer to c');
    expect(packets).to.deep.equal([['BEGIN', 'fail', 'a'], ['ROLLBACK'], ['ROLLBACK'], ['c']]);
  });

  it('fail together, and those after them do not', async () => {
    const failed = await Promise.allSettled([ask('a'), ask('fail'), ask('b')]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(await ask('c')).to.equal('answer to c');
  });
});
