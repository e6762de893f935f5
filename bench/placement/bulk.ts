// Loads many trees at once: inserts the rows that the API would write directly into the tables of
// the region.
import { randomUUID } from 'node:crypto';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { configOf } from '../../src/config.ts';
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import {
  classTable,
  idsOf,
  insertName,
  traitTable,
} from '../../src/services/placement/store/names.ts';
import type { Db } from '../../src/kernel/db/database.ts';

interface Member {
  readonly parent: number | undefined;
  readonly inventories: Record<
    string,
    { total: number; reserved?: number; min_unit?: number; max_unit?: number; step_size?: number }
  >;
  readonly traits: readonly string[];
}

/** Upstream's tree of a host: each node has the index of its parent, which precedes it. */
const members: readonly Member[] = [
  {
    parent: undefined,
    inventories: { DISK_GB: { total: 20480 } },
    traits: ['COMPUTE_VOLUME_MULTI_ATTACH'],
  },
  {
    parent: 0,
    inventories: {
      VCPU: { total: 4, reserved: 2 },
      MEMORY_MB: { total: 2048, min_unit: 512, step_size: 256 },
    },
    traits: ['HW_NUMA_ROOT'],
  },
  { parent: 1, inventories: { FPGA: { total: 1 } }, traits: [] },
  { parent: 1, inventories: { VGPU: { total: 8 } }, traits: [] },
  {
    parent: 0,
    inventories: { VCPU: { total: 4 }, MEMORY_MB: { total: 2048, min_unit: 256, max_unit: 1024 } },
    traits: ['HW_NUMA_ROOT', 'CUSTOM_FOO'],
  },
  { parent: 4, inventories: { FPGA: { total: 1 } }, traits: [] },
  { parent: 4, inventories: { FPGA: { total: 1 } }, traits: [] },
];

const treesAtOnce = 100;

/** Creates the database of a cloud with a number of trees. @returns the UUIDs of their roots */
export async function loadTrees(mysql: string, database: string, trees: number): Promise<string[]> {
  const cloud = await openCloud(
    configOf({
      database: parseDatabaseUrl(new URL(`/${database}`, mysql).href),
      auth: 'noauth2',
      logLevel: 'silent',
    }),
  );
  const { db } = cloud.firstRegion.database;
  await insertName(db, traitTable, 'CUSTOM_FOO', 0);
  const roots: string[] = [];
  for (let from = 0; from < trees; from += treesAtOnce) {
    const first = from * members.length + 1;
    roots.push(
      ...(await db.transaction((trx) =>
        insertTrees(trx, first, Math.min(treesAtOnce, trees - from)),
      )),
    );
  }
  await closeCloud(cloud);
  return roots;
}

async function insertTrees(db: Db, first: number, count: number): Promise<string[]> {
  const classes = await idsOf(
    db,
    classTable,
    members.flatMap(({ inventories }) => Object.keys(inventories)),
  );
  const traits = await idsOf(
    db,
    traitTable,
    members.flatMap((member) => member.traits),
  );
  const rows = {
    providers: [] as { uuid: string }[],
    inventories: [] as object[],
    traits: [] as object[],
  };
  const roots: string[] = [];
  for (let tree = 0; tree < count; tree++) {
    const rootId = first + tree * members.length;
    for (const [place, { parent, inventories, traits: held }] of members.entries()) {
      const id = rootId + place;
      const uuid = randomUUID();
      if (!place) roots.push(uuid);
      rows.providers.push({
        id,
        uuid,
        name: uuid,
        generation: 2,
        root_id: rootId,
        parent_id: parent === undefined ? null : rootId + parent,
        created_at: 0,
        updated_at: 0,
      } as { uuid: string });
      for (const [name, fields] of Object.entries(inventories)) {
        const whole = {
          reserved: 0,
          min_unit: 1,
          max_unit: 2147483647,
          step_size: 1,
          allocation_ratio: 1,
          used: 0,
          ...fields,
        };
        rows.inventories.push({
          provider_id: id,
          class_id: classes.get(name),
          root_id: rootId,
          created_at: 0,
          updated_at: 0,
          ...whole,
        });
      }
      for (const name of held) rows.traits.push({ provider_id: id, trait_id: traits.get(name) });
    }
  }
  await db('placement_providers').insert(rows.providers);
  await db('placement_inventories').insert(rows.inventories);
  await db('placement_provider_traits').insert(rows.traits);
  return roots;
}
