// Routers with their interfaces, and floating IPs.
import { ok } from '../../../kernel/http/reply.ts';
import { getFloatingip, getRouter, scopes } from '../domain/visibility.ts';
import type { Work } from '../domain/actor.ts';
import { createFloatingip, deleteFloatingip, updateFloatingip } from '../domain/routers/floatingips.ts';
import { addInterface, removeInterface, type Interface } from '../domain/routers/interfaces.ts';
import { floatingipKind, routerKind } from '../domain/routers/attributes.ts';
import type { Floatingip, Router } from '../domain/records.ts';
import { createRouter, deleteRouter, updateRouter } from '../domain/routers/routers.ts';
import { floatingipTable, routerTable } from '../store/tables.ts';
import { tagsOf } from '../store/tags.ts';
import { showFloatingips, showRouters } from '../views/things.ts';
import { each } from './networks.ts';
import { enforce, workOf } from './requests.ts';
import { handlersFor, type Thing } from './resources.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

export const routerThing: Thing<Router> = {
  kind: routerKind,
  table: routerTable,
  scope: scopes.own,
  get: getRouter,
  create: (work, items) => each(items, (fields) => createRouter(work, fields)),
  update: updateRouter,
  remove: deleteRouter,
  show: showRouters,
};

export const floatingipThing: Thing<Floatingip> = {
  kind: floatingipKind,
  table: floatingipTable,
  scope: scopes.own,
  get: getFloatingip,
  create: (work, items) => each(items, (fields) => createFloatingip(work, fields)),
  update: updateFloatingip,
  remove: deleteFloatingip,
  show: showFloatingips,
};

export const routers = handlersFor(routerThing);
export const floatingips = handlersFor(floatingipThing);

type Attach = (work: Work, router: Router, body: unknown) => Promise<Interface>;

/** PUT /v2.0/routers/{id}/add_router_interface and remove_router_interface */
async function attach(call: Call, rule: string, change: Attach): Promise<Reply> {
  const work = workOf(call);
  const router = await getRouter(work, call.params['id']!);
  enforce(call, [rule], { project_id: router.project_id, tenant_id: router.project_id }, 'get_router');
  const changed = await change(work, router, call.body);
  return ok({ ...changed, tags: (await tagsOf(call.db, [router.id])).get(router.id) ?? [] });
}

export const addRouterInterface = (call: Call): Promise<Reply> => attach(call, 'add_router_interface', addInterface);
export const removeRouterInterface = (call: Call): Promise<Reply> => attach(call, 'remove_router_interface', removeInterface);
