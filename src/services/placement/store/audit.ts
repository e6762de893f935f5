// Queries for what is inconsistent in the tables of Placement.
import { boolean, integer, named, nullable, real, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';

/** An inventory of which more is allocated than it has. */
export interface OverusedInventory {
  readonly providerUuid: string;
  readonly providerName: string;
  readonly className: string;
  readonly total: number;
  readonly reserved: number;
  readonly allocationRatio: number;
  readonly used: number;
}

const inventories = new Table<OverusedInventory>('placement_inventories', {
  providerUuid: named('p.uuid', text),
  providerName: named('p.name', text),
  className: named('c.name', text),
  total: integer,
  reserved: integer,
  allocationRatio: real,
  used: integer,
});

/** Lists inventories of which more is allocated than they have, by provider and class. */
export const overusedInventories = (db: Db): Promise<OverusedInventory[]> =>
  inventories.read(
    db('placement_inventories as i')
      .join('placement_providers as p', 'p.id', 'i.provider_id')
      .join('placement_resource_classes as c', 'c.id', 'i.class_id')
      .whereRaw('i.used > (i.total - i.reserved) * i.allocation_ratio')
      .orderBy(['i.provider_id', 'i.class_id'])
      .select(
        'p.uuid as provider_uuid',
        'p.name as provider_name',
        'c.name as class_name',
        'i.total',
        'i.reserved',
        'i.allocation_ratio',
        'i.used',
      ),
  );

/** A consumer, with the root of a provider tree that it has allocations from. */
export interface ConsumerOnTree {
  readonly consumer: string;
  /** Null for consumers that were created before microversion 1.38. */
  readonly type: string | null;
  readonly root: string;
}

const consumers = new Table<ConsumerOnTree>('placement_consumers', {
  consumer: text,
  type: nullable(text),
  root: text,
});

/** Lists each consumer once for each tree that it has allocations from. */
export const consumersOnTrees = (db: Db): Promise<ConsumerOnTree[]> =>
  consumers.read(
    db('placement_allocations as a')
      .join('placement_consumers as c', 'c.id', 'a.consumer_id')
      .join('placement_providers as p', 'p.id', 'a.provider_id')
      .join('placement_providers as root', 'root.id', 'p.root_id')
      .leftJoin('placement_consumer_types as t', 't.id', 'c.type_id')
      .distinct('c.id', 'root.id as root_id')
      .orderBy(['c.id', 'root.id'])
      .select('c.uuid as consumer', 't.name as type', 'root.uuid as root'),
  );

/** A root provider. */
export interface RootProvider {
  readonly uuid: string;
  readonly name: string;
  /** Whether it has the trait that was asked for. */
  readonly hasTrait: boolean;
}

const roots = new Table<RootProvider>('placement_providers', {
  uuid: text,
  name: text,
  hasTrait: boolean,
});

/** Lists all root providers, and whether they have a trait. */
export const rootProviders = (db: Db, trait: string): Promise<RootProvider[]> =>
  roots.read(
    db('placement_providers as p')
      .whereRaw('p.root_id = p.id')
      .orderBy('p.id')
      .select('p.uuid', 'p.name')
      .select(
        db.raw(
          'exists (select 1 from placement_provider_traits m join placement_traits t ' +
            'on t.id = m.trait_id where m.provider_id = p.id and t.name = ?) as has_trait',
          [trait],
        ),
      ),
  );

/** Counts the providers of all trees. */
export async function countProviders(db: Db): Promise<number> {
  const [row] = (await db('placement_providers').count('* as count')) as { count: number }[];
  return Number(row!.count);
}
