// The conntrack helpers of a router: /v2.0/routers/{router_id}/conntrack_helpers.
import type { PlainHandler, PlainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import { routerNotFound } from '../../domain/refusals.ts';
import { conntrackHelperAttributes } from '../../domain/routers/conntrack-attributes.ts';
import {
  createConntrackHelper,
  deleteConntrackHelper,
  getConntrackHelper,
  updateConntrackHelper,
} from '../../domain/routers/conntrack.ts';
import { visibility } from '../../domain/visibility.ts';
import type { Conntrack } from '../../model.ts';
import { conntrackHelperTable, routerTable } from '../../store/tables.ts';
import { plainView } from '../../views/view.ts';
import { resourceHandlers, sequentially, type UpdatableResource } from '../resources.ts';

/** The helpers of the router of a path, whose owner the policy rules see. */
function helpersOfRouter(call: Call): UpdatableResource<Conntrack> {
  const routerId = call.params['router_id']!;
  return {
    map: conntrackHelperAttributes,
    table: conntrackHelperTable,
    visibility: visibility.all,
    unknownMarkers: 'ignored',
    within: (query) => void query.where({ router_id: routerId }),
    get: (context, id) => getConntrackHelper(context, routerId, id),
    async parents({ db }, helpers, mustExist) {
      const router = await routerTable.find(db, { id: routerId });
      if (!router && mustExist) throw routerNotFound(routerId);
      return helpers.map(() => ({ 'ext_parent:project_id': router?.project_id }));
    },
    create: sequentially((context, fields) => createConntrackHelper(context, routerId, fields)),
    update: updateConntrackHelper,
    delete: deleteConntrackHelper,
    views: (_db, helpers) => Promise.resolve(helpers.map(plainView)),
  };
}

const handler =
  (operation: keyof PlainHandlers<Call>): PlainHandler<Call> =>
  (call) =>
    resourceHandlers(helpersOfRouter(call))[operation](call);

export const list = handler('list');
export const show = handler('show');
export const create = handler('create');
export const update = handler('update');
export const remove = handler('remove');
