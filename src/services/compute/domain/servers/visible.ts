// Finds servers that are visible to an actor: those of the actor's project, and all servers for an
// administrator.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findServer, findAnyServer } from '../../store/servers/servers.ts';
import type { Server } from '../../model.ts';

/**
 * Finds a server, including a deleted one if `deleted` is set.
 * @throws 404 if it is unknown, or not visible to the actor
 */
export async function visibleServer(
  { db, actor }: Context,
  uuid: string,
  { deleted = false } = {},
): Promise<Server> {
  const server = await (deleted ? findAnyServer : findServer)(db, uuid);
  if (!server || (server.projectId !== actor.projectId && !actor.isAdmin))
    throw notFound(`Instance ${uuid} could not be found.`);
  return server;
}
