// Breaks every column of a cloud with all kinds of resources: the import refuses the value, or all
// requests work with it.
import { expect } from 'chai';
import { references, wrongValue } from '../../../src/emulator/snapshots/column-rules.ts';
import { decode } from '../../../src/emulator/snapshots/document.ts';
import { snapshotTables } from '../../../src/emulator/snapshots/store/contents.ts';
import { brokenReference } from '../../../src/emulator/snapshots/store/references.ts';
import { machineNow } from '../../../src/kernel/clock.ts';
import type { Database } from '../../../src/kernel/db/database.ts';
import { bumpAuthRevision } from '../../../src/kernel/db/state.ts';
import { ownCloud, World } from '../../support/cloud.ts';
import { imageOf, type Image } from '../../support/image.ts';
import type { Client } from '../../support/raw.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { fillCloud, probesOf, type Probe } from '../../emulator/snapshots/full-cloud.ts';
import { errorIn, snapshotsOf } from '../../emulator/snapshots/support.ts';
import { cellName, wrongCells, wrongRow, type WrongCell } from './wrong-values.ts';

/** How many batches of wrong values a run tests: all of them, unless the variable says less. */
const tested = Number(process.env['CUMULET_TEST_BATCHES'] ?? 400);
const seed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
/** The most values that are wrong at the same time. */
const batchSize = 60;

describe(`an import of a cloud with a wrong value (CUMULET_TEST_SEED=${seed})`, () => {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  let world: World;
  let client: Client;
  let probes: readonly Probe[];
  let databases: readonly Database[];
  let images: readonly Image[];
  let refused: WrongCell[] = [];
  let batches: readonly (readonly WrongCell[])[];

  before(async () => {
    const regions = ['CentralRegion', 'RegionOne'];
    const latency = { 'server.os-migrateLive': 3_600_000_000 };
    opened = (await ownCloud('sqlite', { auth: 'noauth2', hosts: '3', regions, latency }))!;
    world = new World('sqlite');
    world.enter(opened);
    const filled = await fillCloud(world);
    client = filled.client;
    probes = await probesOf(filled);
    const { central, firstRegion } = world.cloud;
    databases = [firstRegion.database, central];
    images = await Promise.all(databases.map((one) => imageOf(one, { kind: 'memory' }, 'filled')));
    const random = new SeededRandom(seed);
    const paths = probes.map(({ name }) => name).join(' ');
    const isKnown = (value: unknown): boolean =>
      typeof value === 'string' && value.length > 8 && paths.includes(value);
    const cells: WrongCell[] = [];
    for (const one of databases) cells.push(...(await wrongCells(one, random, isKnown)));
    const isRefused = (cell: WrongCell): boolean =>
      wrongValue('sqlite', cell.table.name, cell.table.columns, wrongRow(cell)) !== undefined;
    const shuffled = random.shuffled(cells);
    refused = shuffled.filter(isRefused);
    batches = batchesOf(shuffled.filter((cell) => !isRefused(cell)));
  });

  after(async () => {
    client?.close();
    await opened?.close();
  });

  /** Writes the value as an import would; returns whether the database accepts it. */
  async function apply(cell: WrongCell): Promise<boolean> {
    const { database, table, column, row, wrong } = cell;
    const where = Object.fromEntries(
      table.columns.map(({ name }, index) => [name, decode(row[index])]),
    );
    const change = (from: unknown, to: unknown): Promise<unknown> =>
      database
        .db(table.name)
        .where({ ...where, [column.name]: decode(from) } as never)
        .update({ [column.name]: decode(to) } as never);
    const right = row[table.columns.indexOf(column)];
    try {
      await change(right, wrong);
    } catch {
      return false; // a foreign or a unique key
    }
    const own = references().filter(({ from, to }) =>
      [from, ...to].some((one) => one.table === table.name && one.column === column.name),
    );
    if (!own.length) return true;
    const tables = new Map(
      (await snapshotTables(database, database.db)).map((one) => [one.name, one]),
    );
    if (!(await brokenReference({ database, tables }, own))) return true;
    await change(wrong, right);
    return false;
  }

  const refresh = async (): Promise<void> => {
    const { central, centralJobs, regions, sharedState } = world.cloud;
    await bumpAuthRevision(central.db);
    sharedState.invalidate();
    for (const { jobs } of [{ jobs: centralJobs }, ...regions.values()]) jobs.wake();
  };

  const restore = async (): Promise<void> => {
    for (const image of images) await image.restore();
    await refresh();
  };

  /** The probes that fail. */
  async function failing(some: readonly Probe[]): Promise<{ probe: Probe; text: string }[]> {
    const failed: { probe: Probe; text: string }[] = [];
    for (const probe of some) {
      const { status, text } = await probe.send();
      if (status >= 500 && status !== 503) failed.push({ probe, text });
    }
    return failed;
  }

  /**
   * Of cells whose values let probes fail together: those that do so alone. It halves the cells,
   * because few of them are to blame.
   */
  async function culprits(cells: readonly WrongCell[], suspects: readonly Probe[]) {
    await restore();
    const applied: WrongCell[] = [];
    for (const cell of cells) if (await apply(cell)) applied.push(cell);
    await refresh();
    const [first] = await failing(suspects);
    if (!first) return [];
    if (applied.length === 1) return [`${cellName(applied[0]!)}: ${first.probe.name}`];
    const middle = Math.ceil(applied.length / 2);
    const found: string[] = [];
    for (const half of [applied.slice(0, middle), applied.slice(middle)])
      found.push(...(await culprits(half, suspects)));
    return found.length ? found : [`together: ${applied.map(cellName).join(', ')}`];
  }

  it('names line, table and column of a value that it refuses', async () => {
    const [header, ...lines] = (await snapshotsOf(world).export()).split('\n');
    const databaseLine = lines.find((line) => line === '{"database":"RegionOne"}')!;
    const { firstRegion } = world.cloud;
    for (const cell of refused
      .filter((one) => one.database === firstRegion.database)
      .slice(0, 12)) {
      const { table, column } = cell;
      const columns = table.columns.map(({ name }) => name);
      const document = [
        header,
        databaseLine,
        JSON.stringify({ table: table.name, columns }),
        JSON.stringify(wrongRow(cell)),
        '',
      ].join('\n');
      expect(errorIn(await snapshotsOf(world).import(document)), cellName(cell)).to.include(
        `400 Line 4 of the document is invalid: ${table.name}.${column.name} must be `,
      );
    }
  });

  for (let index = 0; index < tested; index++)
    it(`refuses it, or answers all requests with it (batch ${index})`, async function () {
      const batch = batches[index];
      if (!batch) return this.skip();
      const cells: WrongCell[] = [];
      for (const cell of batch) if (await apply(cell)) cells.push(cell);
      await refresh();
      const failed = await failing(probes);
      const suspects = failed.map(({ probe }) => probe);
      const found = suspects.length ? await culprits(cells, suspects) : [];
      await restore();
      if (found.length) throw new Error(`Requests fail with:\n${found.join('\n')}`);
    });
});

/** Spreads wrong values over batches with one for each table: several may hide each other. */
function batchesOf(cells: readonly WrongCell[]): WrongCell[][] {
  const batches: { cells: WrongCell[]; tables: Set<string> }[] = [];
  for (const cell of cells) {
    const { name } = cell.table;
    let batch = batches.find(
      ({ cells: all, tables }) => all.length < batchSize && !tables.has(name),
    );
    if (!batch) batches.push((batch = { cells: [], tables: new Set() }));
    batch.cells.push(cell);
    batch.tables.add(name);
  }
  return batches.map((batch) => batch.cells);
}
