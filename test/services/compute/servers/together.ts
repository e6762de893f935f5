// Requests whose builds are due at the same time, as when several clients create servers.
import { contextWith, inRegionTransaction, systemContext } from '../../../../src/kernel/context.ts';
import { callService } from '../../../../src/kernel/http/call-service.ts';
import { newRequestId } from '../../../../src/kernel/ids.ts';
import type { Actor } from '../../../../src/kernel/model.ts';
import { compute } from '../../../../src/services/compute/index.ts';
import { noon, type World } from '../../../support/cloud.ts';
import { newest, serverBody } from './makers.ts';

const roles = ['admin', 'member', 'reader'];

/** The administrator of the project `demo`. */
const actor: Actor = {
  userId: 'admin',
  projectId: 'demo',
  roles,
  isAdmin: true,
  isService: false,
  credentials: { roles, user_id: 'admin', project_id: 'demo' },
};

/** A server that has been requested. */
export interface Requested {
  readonly id: string;
  readonly requestId: string;
}

/** Requests servers in one transaction, each by a request of its own. */
export async function requestTogether(
  world: World,
  servers: readonly Readonly<Record<string, unknown>>[],
  hints?: Readonly<Record<string, unknown>>,
): Promise<Requested[]> {
  const region = world.cloud.firstRegion;
  const outside = systemContext(world.cloud, region, region.database.db, noon);
  return inRegionTransaction(outside, region, async (inner) => {
    const requested: Requested[] = [];
    for (const fields of servers) {
      const context = contextWith(inner, { actor, requestId: newRequestId() });
      const { body } = await callService(context, compute, {
        method: 'POST',
        path: '/v2.1/servers',
        body: serverBody(fields, hints),
        version: newest,
      });
      const { id } = (body as { server: { id: string } }).server;
      requested.push({ id, requestId: context.requestId });
    }
    return requested;
  });
}
