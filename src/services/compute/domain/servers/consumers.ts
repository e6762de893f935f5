// Describes servers and migrations as consumers of resources, for explanations.
import type { DescribeConsumers } from '../../../../emulator/explain/consumers.ts';
import { migrationsByUuid } from '../../store/servers/migrations.ts';
import { findServers } from '../../store/servers/servers.ts';

/**
 * Describes the servers and migrations among consumers. During a migration, the consumer of the
 * resources on the other host is the migration.
 */
export const describeConsumers: DescribeConsumers = async ({ db }, uuids) => {
  const servers = await findServers(db, uuids);
  const known = new Set(servers.map(({ uuid }) => uuid));
  const migrations = await migrationsByUuid(
    db,
    uuids.filter((uuid) => !known.has(uuid)),
  );
  const moved = await findServers(
    db,
    migrations.map(({ serverUuid }) => serverUuid),
  );
  const names = new Map(moved.map(({ uuid, name }) => [uuid, name]));
  return new Map([
    ...servers.map(({ uuid, name }) => [uuid, { name: `server '${name}'` }] as const),
    ...migrations.map(({ uuid, serverUuid }) => {
      const name = `the migration of server '${names.get(serverUuid) ?? serverUuid}'`;
      return [uuid, { name }] as const;
    }),
  ]);
};
