// How moves end before or after their time: stayed for good, called off, given up, failed.
import type { Micros } from '../../../../kernel/clock.ts';
import { dropUses, setUses } from '../../../placement/index.ts';
import { findMigration, openMigrations, updateMigration, type Migration } from '../../store/servers/migrations.ts';
import { updateServer, type Server, type ServerChanges } from '../../store/servers/servers.ts';
import { noUses, usedBy } from '../scheduler/scheduling.ts';
import type { Actor, Work } from '../servers/tasks.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** Ends a move that waits for a word, in favour of the new host. */
export async function endMove({ db, now }: Pick<Work, 'db' | 'now'>, server: Server): Promise<void> {
  const migration = await findMigration(db, server.uuid, ['finished', 'confirming']);
  if (!migration) return;
  await dropUses(db, migration.uuid);
  await updateMigration(db, migration, { status: 'confirmed' }, now);
}

/** Calls a live migration off that is going on: the server stays where it is. */
export async function abortLiveMigration(actor: Actor, server: Server, migration: Migration): Promise<void> {
  await takeBack(actor, server, migration, 'cancelled');
  await updateServer(actor.db, server, { taskState: null, actionId: null }, actor.now);
}

/** Gives a server back what it used before a move, if the move has taken anything, and frees what it uses where it was to go. */
export async function returnUses(db: Db, server: Server, { uuid: consumer }: Migration, now: Micros): Promise<void> {
  const { uuid, projectId, userId } = server;
  const before = await usedBy(db, consumer);
  if (!before.size) return;
  await setUses(db, [{ consumer, projectId, userId, uses: noUses }, { consumer: uuid, projectId, userId, uses: before }], now); // prettier-ignore
}

/** Migrations at the end of which the server is where it was to go, if perhaps not for long. */
const arrived = ['finished', 'confirming', 'reverting'];

/** Ends a migration with the server where it is: there it has what it uses, and nothing is left at the other end. */
async function takeBack(
  { db, now }: Pick<Work, 'db' | 'now'>,
  server: Server,
  migration: Migration,
  status: string,
): Promise<void> {
  if (arrived.includes(migration.status)) await dropUses(db, migration.uuid);
  else await returnUses(db, server, migration, now);
  await updateMigration(db, migration, { status }, now);
}

/**
 * Gives up whatever move is under way with a server. Upstream's reset of a state leaves what a move has claimed to an operator who
 * heals allocations by hand; nothing would ever clear it up here.
 */
export async function giveUpMoves(work: Pick<Work, 'db' | 'now'>, server: Server): Promise<void> {
  for (const migration of await openMigrations(work.db, [server.uuid])) await takeBack(work, server, migration, 'error');
  if (server.host === null) await dropUses(work.db, server.uuid);
}

/** After something that failed on its way: no move is under way any more, and the server is in error. */
export const errorOut = async (work: Work, server: Server): Promise<ServerChanges> => {
  await giveUpMoves(work, server);
  return { vmState: 'error' };
};
