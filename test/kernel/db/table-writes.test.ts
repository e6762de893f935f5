// Tests of what the SQLite client knows about the tables that statements write.
import { expect } from 'chai';
import { TableWrites, targetOf } from '../../../src/kernel/db/drivers/table-writes.ts';

describe('targetOf', () => {
  it('ignores reads, and the beginnings and ends of transactions', () => {
    for (const sql of [
      'select * from `jobs`',
      'BEGIN IMMEDIATE;',
      'COMMIT;',
      'SAVEPOINT trx1;',
      'PRAGMA defer_foreign_keys = ON',
    ])
      expect(targetOf(sql), sql).to.equal(undefined);
  });

  it('returns the table of an INSERT, UPDATE or DELETE', () => {
    for (const sql of [
      'insert into `jobs` (`id`) values (?) on conflict do nothing',
      'insert or ignore into `jobs` (`id`) values (?)',
      'INSERT INTO main."jobs" SELECT 1',
      'update `jobs` set `id` = ?',
      'delete from `jobs` where `id` in (select `id` from `outbox`)',
    ])
      expect(targetOf(sql), sql).to.equal('jobs');
  });

  it('returns any table for other statements', () => {
    const writes = new TableWrites();
    for (const sql of ['VACUUM', 'alter table `a` add `b`', 'with x as (select 1) delete from a']) {
      const { count } = writes;
      writes.note(targetOf(sql)!);
      expect(writes.hasWritten('jobs', count), sql).to.equal(true);
      expect(writes.hasWritten('jobs', writes.count), sql).to.equal(false);
    }
  });
});
