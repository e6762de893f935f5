// The traits of a provider. (Traits by name are in names.ts.)
import type { Named } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The ids of the traits of the provider of that UUID, in order. */
export async function traitIdsOf(db: Db, uuid: string): Promise<number[]> {
  return (await db('placement_provider_traits as l')
    .join('placement_providers as p', 'p.id', 'l.provider_id')
    .where('p.uuid', uuid)
    .orderBy('l.trait_id')
    .pluck('l.trait_id')) as number[];
}

/** The traits of a provider, in the order of their ids. */
export async function traitsOf(db: Db, providerId: number): Promise<Named[]> {
  const rows = (await db('placement_provider_traits as l')
    .join('placement_traits as t', 't.id', 'l.trait_id')
    .where('l.provider_id', providerId)
    .orderBy('t.id')
    .select('t.id', 't.name', 't.created_at', 't.updated_at')) as {
    id: number;
    name: string;
    created_at: number;
    updated_at: number | null;
  }[];
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: Number(row.created_at),
    updatedAt: row.updated_at,
  }));
}
