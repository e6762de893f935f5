// Routers and their interfaces.
import { ok } from '../../../../kernel/http/reply.ts';
import { isObject, type Json, type JsonObject } from '../../../../kernel/json.ts';
import { hostRoutes } from '../../domain/attributes/checks.ts';
import { routerAttributes } from '../../domain/routers/attributes.ts';
import { addInterface, removeInterface, type Interface } from '../../domain/routers/interfaces.ts';
import {
  addRoutes,
  createRouter,
  deleteRouter,
  removeRoutes,
  updateRouter,
} from '../../domain/routers/routers.ts';
import { badInput } from '../../domain/refusals.ts';
import type { HostRoute, Router } from '../../model.ts';
import { getRouter, visibility } from '../../domain/visibility.ts';
import { loadRouterDetails, loadTags } from '../../store/details.ts';
import { routerTable } from '../../store/tables.ts';
import { routerView } from '../../views/routers.ts';
import { tagsView } from '../../views/view.ts';
import { enforce } from '../requests.ts';
import {
  sequentially,
  findTarget,
  resourceHandlers,
  viewsWith,
  type UpdatableResource,
} from '../resources.ts';
import { tagHandlers } from '../tags.ts';
import type { Call, Reply, Context } from '../../../../kernel/model.ts';

export const routerResource: UpdatableResource<Router> = {
  map: routerAttributes,
  table: routerTable,
  visibility: visibility.own,
  get: getRouter,
  create: sequentially(createRouter),
  update: updateRouter,
  delete: deleteRouter,
  views: viewsWith(loadRouterDetails, routerView),
};

export const { list, show, create, update, remove } = resourceHandlers(routerResource);
export const tags = tagHandlers(routerResource);

type ChangeInterface = (context: Context, router: Router, body: unknown) => Promise<Interface>;

/** PUT /v2.0/routers/{id}/add_router_interface and remove_router_interface */
const changeInterface =
  (rule: string, change: ChangeInterface) =>
  async (call: Call): Promise<Reply> => {
    const { record: router, target } = await findTarget(call, routerResource);
    enforce(call, [rule], target, 'get_router');
    const changed = await change(call, router, call.body);
    return ok({ ...changed, ...tagsView(router, await loadTags(call.db, [router])) });
  };

type ChangeRoutes = typeof addRoutes;

/**
 * The routes of a body. Upstream checks them together with those that the router has.
 * @throws 400
 */
function routesOf(body: unknown): readonly HostRoute[] {
  const router = isObject(body as Json) ? (body as JsonObject)['router'] : undefined;
  if (!isObject(router)) throw badInput('Request body contains invalid data');
  const { routes = null } = router;
  const problem = Array.isArray(routes)
    ? routes.map((route: unknown) => hostRoutes([route])).find((one) => one !== undefined)
    : hostRoutes(routes);
  if (problem !== undefined) throw badInput(`Invalid input for routes. Reason: ${problem}.`);
  return routes as unknown as readonly HostRoute[];
}

/** PUT /v2.0/routers/{id}/add_extraroutes and remove_extraroutes */
const changeRoutes =
  (rule: string, change: ChangeRoutes) =>
  async (call: Call): Promise<Reply> => {
    const { record: router, target } = await findTarget(call, routerResource);
    enforce(call, [rule], target, 'get_router');
    const changed = await change(call, router, routesOf(call.body));
    const [view] = await routerResource.views(call.db, [changed]);
    return ok({ router: view });
  };

export const addExtraRoutes = changeRoutes('add_extraroutes', addRoutes);
export const removeExtraRoutes = changeRoutes('remove_extraroutes', removeRoutes);

export const addRouterInterface = changeInterface('add_router_interface', addInterface);
export const removeRouterInterface = changeInterface('remove_router_interface', removeInterface);
