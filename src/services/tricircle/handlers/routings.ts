// Routings: list, create, show, update, delete.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { listRoutingPage } from '../domain/routing-list.ts';
import { createRouting, findRouting, removeRouting, updateRouting } from '../domain/routings.ts';
import { typed } from '../domain/errors.ts';
import { routingPageView, routingView } from '../views/routings.ts';
import { readObject } from './requests.ts';

const noBody = () => typed(400, 'Request body not found');

/** GET /v1.0/routings */
export async function list(call: TricircleCall): Promise<Reply> {
  return ok(routingPageView(await listRoutingPage(call, call.query)));
}

/** POST /v1.0/routings */
export async function create(call: TricircleCall): Promise<Reply> {
  return ok({
    routing: routingView(await createRouting(call, readObject(call, 'routing', noBody))),
  });
}

/** GET /v1.0/routings/{routing_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  return ok({ routing: routingView(await findRouting(call, call.params['routing_id']!)) });
}

/** PUT /v1.0/routings/{routing_id} */
export async function update(call: TricircleCall): Promise<Reply> {
  const routing = await findRouting(call, call.params['routing_id']!);
  return ok({
    routing: routingView(await updateRouting(call, routing, readObject(call, 'routing', noBody))),
  });
}

/** DELETE /v1.0/routings/{routing_id} */
export async function remove(call: TricircleCall): Promise<Reply> {
  await removeRouting(call, await findRouting(call, call.params['routing_id']!));
  return noContent();
}
