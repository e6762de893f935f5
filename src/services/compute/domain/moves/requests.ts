// Asking for moves: what can be refused at once is refused. Upstream: compute/api.py resize, live_migrate, evacuate.
import { badRequest, conflict, notFound } from '../../../../kernel/fault.ts';
import { findHostNamed } from '../../store/hosts/server-hosts.ts';
import { findMigration, updateMigration } from '../../store/servers/migrations.ts';
import { updateServer, type Server } from '../../store/servers/servers.ts';
import { idle, require } from '../servers/checks.ts';
import { serverFlavor } from '../lifecycle/create.ts';
import { acceptEvacuation, liveMigrate, type MoveArgs } from './moves.ts';
import { findImage } from '../../neighbours/servers.ts';
import { checkGrowth } from '../servers/quotas.ts';
import { begin, recordAction, type Actor, type Args } from '../servers/tasks.ts';
import { isOnVolume } from '../servers/states.ts';
import type { Work } from '../servers/tasks.ts';

const asArgs = (args: MoveArgs): Args => args as unknown as Args;

async function requireMovable(actor: Actor, server: Server, action: string): Promise<void> {
  require(server, { action, vmStates: ['active', 'stopped'], taskStates: idle, onHost: true }, actor.isAdmin);
  await requireUp(actor, server.host!);
}

/** @throws 409 where a host is down */
async function requireUp({ db }: Actor, host: string): Promise<void> {
  if (!(await findHostNamed(db, host))?.up) throw conflict('Service is unavailable at this time.');
}

/** Has a server moved into another flavor. @throws 400, 403, 409 */
export async function askResize(actor: Actor, server: Server, flavorId: string, diskConfig: string | undefined): Promise<void> {
  await requireMovable(actor, server, 'resize');
  const { db, projectId, userId, isAdmin } = actor;
  const viewer = { projectId, userId, isAdmin };
  const flavor = await serverFlavor(db, viewer, flavorId);
  if (flavor.disk === 0 && server.flavor.disk !== 0 && !isOnVolume(server))
    throw badRequest('Server disk was unable to be resized because: Resize to zero disk flavor is not allowed.');
  if (flavor.id === server.flavor.id) throw badRequest('When resizing, instances must change flavor!');
  await checkGrowth(db, server, server.flavor, flavor);
  const image = server.imageId ? await findImage(db, { ...viewer, isAdmin: true }, server.imageId) : undefined;
  if (image && flavor.ram < image.minRam) throw badRequest("Flavor's memory is too small for requested image.");
  const args = asArgs({ host: null, flavor });
  const changes = { progress: 0, diskConfig: diskConfig ?? 'MANUAL' };
  await begin(actor, server, { action: 'resize', task: 'resize', taskState: 'resize_prep', args, changes });
}

/** Has a server moved to another host, or to that one. @throws 400, 409 */
export async function askMigration(actor: Actor, server: Server, host: string | null): Promise<void> {
  await requireMovable(actor, server, 'migrate');
  if (host !== null) {
    if (host === server.host) throw badRequest('Cannot migrate to the host where the server exists.');
    await requireHost(actor, host);
  }
  const args = asArgs({ host, flavor: null });
  await begin(actor, server, { action: 'migrate', task: 'resize', taskState: 'resize_prep', args, changes: { progress: 0 } });
}

/** @throws 400 where there is no such host */
async function requireHost({ db }: Actor, host: string): Promise<void> {
  if (!(await findHostNamed(db, host))) throw badRequest(`Compute host ${host} could not be found.`);
}

/** Lets a moved server stay where it is. @throws 400, 409 */
export async function confirm(actor: Actor, server: Server): Promise<void> {
  require(server, { action: 'confirmResize', vmStates: ['resized'], taskStates: idle }, actor.isAdmin);
  const migration = await findMigration(actor.db, server.uuid, ['finished']);
  if (!migration) throw badRequest('Instance has not been resized.');
  await requireUp(actor, migration.sourceHost!);
  await updateMigration(actor.db, migration, { status: 'confirming' }, actor.now);
  const latency = 'server.confirmResize';
  await begin(actor, server, { action: 'confirmResize', task: 'confirmResize', taskState: null, latency });
}

/** Has a moved server go back. @throws 400, 409 */
export async function revert(actor: Actor, server: Server): Promise<void> {
  require(server, { action: 'revertResize', vmStates: ['resized'], taskStates: idle }, actor.isAdmin);
  const migration = await findMigration(actor.db, server.uuid, ['finished']);
  if (!migration) throw badRequest('Instance has not been resized.');
  await updateMigration(actor.db, migration, { status: 'reverting' }, actor.now);
  const latency = 'server.revertResize';
  await begin(actor, server, { action: 'revertResize', task: 'revertResize', taskState: 'resize_reverting', latency });
}

/** How a live migration is asked for. */
export interface LiveRequest {
  readonly host: string | null;
  readonly forced: boolean;
  /** Whether the client waits for what the scheduler says. */
  readonly waits: boolean;
}

/** Has a server moved while it runs. @throws 400, 409 */
export async function askLiveMigration(
  actor: Actor,
  work: Work,
  server: Server,
  { host, forced, waits }: LiveRequest,
): Promise<void> {
  const vmStates = ['active', 'paused'];
  require(server, { action: 'os-migrateLive', vmStates, taskStates: idle, onHost: true }, actor.isAdmin);
  if (host !== null) await requireHost(actor, host);
  const args = asArgs({ host, flavor: null, forced });
  const action = 'live-migration';
  if (!waits) return void (await begin(actor, server, { action, task: 'liveMigrate', taskState: 'migrating', args }));
  if (host === server.host) throw badRequest(`Unable to migrate instance (${server.uuid}) to current host (${host}).`);
  const actionId = await recordAction(actor, server.uuid, action);
  const begun = await updateServer(actor.db, server, { taskState: 'migrating', actionId }, actor.now);
  await liveMigrate.run(work, begun, args);
}

/** How an evacuation is asked for. */
export interface EvacuationRequest {
  readonly host: string | null;
  readonly forced: boolean;
  readonly stayOff: boolean;
}

/** Has a server built again elsewhere, because its host is down. @throws 400, 404, 409 */
export async function askEvacuation(actor: Actor, server: Server, { host, forced, stayOff }: EvacuationRequest): Promise<void> {
  const { db } = actor;
  if (host !== null && !(await findHostNamed(db, host))) throw notFound(`Compute host ${host} not found.`);
  if (host !== null && host === server.host) throw badRequest("The target host can't be the same one.");
  const vmStates = ['active', 'stopped', 'error'];
  require(server, { action: 'evacuate', vmStates, evenLocked: true, onHost: true }, actor.isAdmin);
  if ((await findHostNamed(db, server.host!))?.up) throw badRequest(`Compute service of ${server.host} is still in use.`);
  await acceptEvacuation(actor, server, host);
  const args = asArgs({ host, flavor: null, forced, stayOff });
  await begin(actor, server, { action: 'evacuate', task: 'evacuate', taskState: 'rebuilding', args, latency: 'server.evacuate' });
}
