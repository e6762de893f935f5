// Migrations: a server's live migrations that are in progress, and the list of all migrations.
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { requireState, wrongState } from '../../domain/servers/checks.ts';
import { abortLiveMigration } from '../../domain/moves/ends.ts';
import { completeLiveMigration } from '../../domain/moves/requests.ts';
import { ownTarget } from '../../steps.ts';
import { listMigrations, migrationById, migrationByUuid } from '../../store/servers/migrations.ts';
import { linksTo, nextPageLinks } from '../../views/links.ts';
import { pageOf } from '../paging.ts';
import { changePeriodOf } from './instance-actions.ts';
import { serverOf, targetOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Migration, Server } from '../../model.ts';
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';

const inProgress: readonly string[] = ['queued', 'preparing', 'running', 'post-migrating'];

const isLive = ({ type }: Migration): boolean => type === 'live-migration';

/** The source and the destination, which are null unless the caller may see hosts. */
function endsView(migration: Migration, hosts: boolean): object {
  return {
    source_compute: hosts ? migration.sourceHost : null,
    source_node: hosts ? migration.sourceNode : null,
    dest_compute: hosts ? migration.destHost : null,
    dest_host: null,
    dest_node: hosts ? migration.destNode : null,
  };
}

const commonView = ({ version }: ComputeCall, migration: Migration, hosts: boolean): object => ({
  id: migration.id,
  status: migration.status,
  created_at: naiveIsoOrNull(migration.createdAt),
  updated_at: naiveIsoOrNull(migration.updatedAt),
  ...endsView(migration, hosts),
  ...version.since('2.59', { uuid: migration.uuid }),
  ...version.since('2.80', { project_id: migration.projectId, user_id: migration.userId }),
});

/** A live migration of a server. The emulator does not measure its progress. */
const liveView = (call: ComputeCall, migration: Migration, hosts: boolean): object => ({
  ...commonView(call, migration, hosts),
  server_uuid: migration.serverUuid,
  ...Object.fromEntries(
    ['memory', 'disk'].flatMap((resource) =>
      ['total', 'processed', 'remaining'].map((state) => [`${resource}_${state}_bytes`, null]),
    ),
  ),
});

export async function list(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:migrations:index');
  const hosts = may(call, 'os_compute_api:servers:migrations:index:host', targetOf(server));
  const migrations = await listMigrations(call.db, {
    serverUuid: server.uuid,
    type: 'live-migration',
    statuses: inProgress,
  });
  return ok({ migrations: migrations.map((migration) => liveView(call, migration, hosts)) });
}

/** The migration in the path. @throws 404 */
async function migrationOf(
  call: ComputeCall,
  { uuid }: Server,
  missing: string,
): Promise<Migration> {
  const id = call.params['id']!;
  const migration = /^\d{1,9}$/.test(id) ? await migrationById(call.db, Number(id)) : undefined;
  if (!migration || migration.serverUuid !== uuid) throw notFound(missing);
  return migration;
}

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:migrations:show');
  const { id } = call.params;
  const migration = await migrationOf(
    call,
    server,
    `In-progress live migration ${id} is not found for server ${server.uuid}.`,
  );
  if (!isLive(migration))
    throw notFound(`Migration ${id} for server ${server.uuid} is not live-migration.`);
  if (!inProgress.includes(migration.status))
    throw notFound(`Live migration ${id} for server ${server.uuid} is not in progress.`);
  return ok({ migration: liveView(call, migration, true) });
}

/** Completes a live migration immediately. */
export async function forceComplete(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:migrations:force_complete');
  const { id } = call.params;
  requireState(call, server, { action: 'force_complete', vmStates: ['active'], launched: false });
  if (server.taskState !== 'migrating')
    throw wrongState(server, 'force_complete', 'task_state', server.taskState);
  const missing = badRequest(`Migration ${id} not found for instance ${server.uuid}`);
  const migration = await migrationOf(call, server, '').catch(() => {
    throw missing;
  });
  if (migration.status !== 'running') {
    throw badRequest(
      `Migration ${id} state of instance ${server.uuid} is ${migration.status}. Cannot force ` +
        'complete while the migration is in this state.',
    );
  }
  await completeLiveMigration(call, server);
  return accepted();
}

/** Aborts a live migration. */
export async function remove(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'servers:migrations:delete');
  const { id } = call.params;
  requireState(call, server, { action: 'abort live migration', launched: false });
  if (server.taskState !== 'migrating')
    throw wrongState(server, 'abort live migration', 'task_state', server.taskState);
  const migration = await migrationOf(
    call,
    server,
    `Migration ${id} not found for instance ${server.uuid}`,
  );
  if (!isLive(migration) || migration.status !== 'running') {
    throw badRequest(
      `Migration ${id} state of instance ${server.uuid} is ${migration.status}. Cannot abort ` +
        'live migration while the migration is in this state.',
    );
  }
  await abortLiveMigration(call, server, migration);
  return accepted();
}

/** Lists all migrations, of any type and status. */
export async function listAll(call: ComputeCall): Promise<Reply> {
  const { version, query, db } = call;
  const target = ownTarget(call);
  authorize(call, 'os_compute_api:os-migrations:index', target);
  const projectId = version.has('2.80') ? query.last('project_id') : undefined;
  if (projectId === undefined || projectId !== call.caller.projectId)
    authorize(call, 'os_compute_api:os-migrations:index:all_projects', target);
  const hosts = may(call, 'os_compute_api:os-migrations:index:host', target);
  const paged = version.has('2.59');
  const { limit, marker } = await pageOf(call);
  const after = paged && marker !== undefined ? await migrationByUuid(db, marker) : undefined;
  if (paged && marker !== undefined && !after)
    throw badRequest(`Marker ${marker} could not be found.`);
  const status = query.last('status');
  const filter = {
    serverUuid: query.last('instance_uuid'),
    host: query.last('host'),
    sourceHost: query.last('source_compute'),
    type: query.last('migration_type'),
    statuses: status === undefined ? undefined : [status],
    projectId,
    userId: version.has('2.80') ? query.last('user_id') : undefined,
    ...(paged ? changePeriodOf(call) : {}),
  };
  const page = paged ? { after, limit, newestFirst: true } : {};
  const migrations = paged && limit === 0 ? [] : await listMigrations(db, filter, page);
  const links =
    paged && limit
      ? nextPageLinks(call, 'os-migrations', migrations, limit, migrations.at(-1)?.uuid ?? '')
      : [];
  return ok({
    migrations: migrations.map((migration) => listItem(call, migration, hosts)),
    ...(links.length ? { migrations_links: links } : {}),
  });
}

/** A migration in the list of all. */
function listItem(call: ComputeCall, migration: Migration, hosts: boolean): object {
  const { version } = call;
  const hasLinks = isLive(migration) && inProgress.includes(migration.status);
  return {
    ...commonView(call, migration, hosts),
    instance_uuid: migration.serverUuid,
    old_instance_type_id: flavorNumber(migration.oldFlavor.id),
    new_instance_type_id: flavorNumber(migration.newFlavor.id),
    ...version.since('2.23', {
      migration_type: migration.type,
      ...(hasLinks
        ? { links: linksTo(call, `servers/${migration.serverUuid}/migrations/${migration.id}`) }
        : {}),
    }),
  };
}

/**
 * The id of a flavor as a number, or null. Upstream shows the id in its database, which no client
 * can use.
 */
const flavorNumber = (id: string): number | null => (/^\d{1,9}$/.test(id) ? Number(id) : null);
