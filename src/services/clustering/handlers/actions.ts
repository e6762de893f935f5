// Handlers of actions.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { updateAction } from '../domain/actions/actions.ts';
import { forbiddenHere } from '../domain/refusals.ts';
import { actionList } from '../domain/requests/collections.ts';
import { actionFor } from '../domain/requests/identities.ts';
import { boolParameter, readList } from '../domain/requests/lists.ts';
import type { Action } from '../model.ts';
import * as store from '../store/index.ts';
import { actionView } from '../views/resources.ts';

const idOf = (call: ClusteringCall): string => call.params['action_id']!;

async function views(
  { db, version }: ClusteringCall,
  actions: readonly Action[],
): Promise<object[]> {
  const ids = actions.map(({ id }) => id);
  const dependsOn = await store.dependenciesOf(db, 'dependent', ids);
  const dependedBy = await store.dependenciesOf(db, 'depended', ids);
  return actions.map((action) =>
    actionView(action, version, {
      dependsOn: dependsOn.get(action.id) ?? [],
      dependedBy: dependedBy.get(action.id) ?? [],
    }),
  );
}

/** GET /v1/actions */
export async function list(call: ClusteringCall): Promise<Reply> {
  const page = readList(actionList(call.version.has('1.14')), call.query, call.actor);
  return ok({ actions: await views(call, await store.listPage(call.db, store.actions, page)) });
}

/** POST /v1/actions: upstream has no policy rule for it, so that nobody may do it. */
export function create(): Reply {
  throw forbiddenHere();
}

/** GET /v1/actions/{action_id} */
export async function show(call: ClusteringCall): Promise<Reply> {
  const action = await actionFor(call, idOf(call));
  return ok({ action: (await views(call, [action]))[0] });
}

/** PATCH /v1/actions/{action_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const force = boolParameter(call.query, 'force', false);
  await updateAction(call, idOf(call), call.body, force, call.version);
  return accepted();
}
