// Tests of keyset pagination: the pages add up to the whole list, in any order and with NULL
// values.
import { expect } from 'chai';
import { orderBy, type SortColumn } from '../../../src/kernel/db/keyset.ts';
import type { Db } from '../../../src/kernel/db/database.ts';
import { onEachDatabase } from '../../support/cloud.ts';

interface Row {
  id: number;
  name: string | null;
  size: number | null;
}

const rows: readonly Row[] = ['b', null, 'a', 'b', '', null, 'c'].flatMap((name, index) => [
  { id: index * 2 + 1, name, size: index % 3 ? index : null },
  { id: index * 2 + 2, name, size: 3 - (index % 4) },
]);

onEachDatabase('keyset pagination', {}, (world) => {
  let db: Db;

  beforeEach(async () => {
    db = world.cloud.firstRegion.database.db;
    await db.schema.createTable('keyset_rows', (table) => {
      table.integer('id').primary();
      table.string('name', 10);
      table.integer('size');
    });
    await db('keyset_rows').insert([...rows]);
  });
  afterEach(() => world.cloud.firstRegion.database.db.schema.dropTable('keyset_rows'));

  const select = async (
    order: readonly SortColumn[],
    after: Row | undefined,
    limit: number,
  ): Promise<Row[]> => {
    const query = db('keyset_rows').limit(limit);
    orderBy(query, order, after && order.map(({ column }) => after[column as keyof Row]));
    return (await query) as Row[];
  };

  it('ignores repeated sort columns', async () => {
    const id: SortColumn = { column: 'id', descending: true };
    const order = [
      id,
      ...Array.from({ length: 3000 }, (_, index) => ({ ...id, descending: index % 2 === 0 })),
    ];
    const first = await select(order, undefined, 2);
    expect([...first, ...(await select(order, first[1], 2))].map((row) => row.id)).to.deep.equal([
      14, 13, 12, 11,
    ]);
  });

  for (const fill of [false, true])
    for (const nameDown of [false, true])
      for (const sizeDown of [false, true])
        it(
          `returns each row once, by name ${nameDown ? 'down' : 'up'} and size ` +
            `${sizeDown ? 'down' : 'up'}, null ${fill ? 'filled' : 'first'}`,
          async () => {
            const order: SortColumn[] = [
              { column: 'name', descending: nameDown, fill: fill ? '' : undefined },
              { column: 'size', descending: sizeDown, fill: fill ? -1 : undefined },
              { column: 'id', descending: false },
            ];
            const all = await select(order, undefined, 100);
            expect(all).to.have.length(rows.length);
            const paged: Row[] = [];
            for (
              let page = await select(order, undefined, 3);
              page.length;
              page = await select(order, paged.at(-1), 3)
            )
              paged.push(...page);
            expect(paged.map(({ id }) => id)).to.deep.equal(all.map(({ id }) => id));
          },
        );
});
