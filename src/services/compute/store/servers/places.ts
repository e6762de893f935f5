import type { Db } from '../../../../kernel/db/database.ts';
// Where servers are.

/** The hosts of those servers that there are; null where a server is on none. */
export async function placesOf(db: Db, uuids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = (await db('compute_servers')
    .whereIn('uuid', [...new Set(uuids)])
    .whereNull('deleted_at')
    .orderBy('id')
    .select('uuid', 'host')) as { uuid: string; host: string | null }[];
  return new Map(rows.map(({ uuid, host }) => [uuid, host]));
}
