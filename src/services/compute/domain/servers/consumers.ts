// Describes servers and migrations as consumers of resources, for explanations.
import type { DescribeConsumers } from '../../../../emulator/explain/consumers.ts';
import { migrationsByUuid } from '../../store/servers/migrations.ts';
import { serverNames } from '../../store/servers/servers.ts';

/**
 * Describes the servers and migrations among consumers. During a migration, the consumer of the
 * resources on the other host is the migration.
 */
export const describeConsumers: DescribeConsumers = async ({ db }, uuids) => {
  const servers = await serverNames(db, uuids);
  const migrations = await migrationsByUuid(
    db,
    uuids.filter((uuid) => !servers.has(uuid)),
  );
  const moved = await serverNames(
    db,
    migrations.map(({ serverUuid }) => serverUuid),
  );
  return new Map([
    ...[...servers].map(([uuid, name]) => [uuid, { name: `server '${name}'` }] as const),
    ...migrations.map(({ uuid, serverUuid }) => {
      const name = `the migration of server '${moved.get(serverUuid) ?? serverUuid}'`;
      return [uuid, { name }] as const;
    }),
  ]);
};
