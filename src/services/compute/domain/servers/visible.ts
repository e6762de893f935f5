// Which servers an actor may see: those of their project, and all of them as an administrator.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findServer, findServerEver } from '../../store/servers/servers.ts';
import type { Server } from '../../model.ts';

/**
 * The server of that UUID; a deleted one too with `deleted`.
 * @throws 404 where there is none that the actor may see
 */
export async function visibleServer(
  { db, actor }: Context,
  uuid: string,
  { deleted = false } = {},
): Promise<Server> {
  const server = await (deleted ? findServerEver : findServer)(db, uuid);
  if (!server || (server.projectId !== actor.projectId && !actor.isAdmin))
    throw notFound(`Instance ${uuid} could not be found.`);
  return server;
}
