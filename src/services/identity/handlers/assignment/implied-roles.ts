// Implied roles: a user with the prior role also has the implied role.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import {
  checkImplication,
  createImplication,
  inferenceOf,
  listInferences,
  removeImplication,
  type RolePair,
} from '../../domain/assignment/implied-roles.ts';
import type { Role } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findRole } from '../../store/assignment/roles.ts';
import { inferenceView, rolePairView } from '../../views/assignment/roles.ts';
import { linkTo } from '../../views/links.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/roles/{prior_role_id}/implies */
export async function list(call: Call): Promise<Reply> {
  const prior = await roleOf(call, 'prior_role_id');
  enforce(call, 'list_implied_roles');
  const links = { self: linkTo(call, `roles/${prior.id}/implies`) };
  return ok({ role_inference: inferenceView(call, await inferenceOf(call, prior)), links });
}

/** GET /v3/role_inferences; omits roles that imply no other role. */
export async function listAll(call: Call): Promise<Reply> {
  enforce(call, 'list_role_inference_rules');
  const inferences = await listInferences(call);
  return ok({ role_inferences: inferences.map((inference) => inferenceView(call, inference)) });
}

/** GET /v3/roles/{prior_role_id}/implies/{implied_role_id} */
export async function show(call: Call): Promise<Reply> {
  const pair = await rolePair(call, 'get_implied_role');
  await checkImplication(call, pair);
  return ok(rolePairView(call, pair));
}

/** HEAD /v3/roles/{prior_role_id}/implies/{implied_role_id}; 204, although the GET is 200. */
export async function check(call: Call): Promise<Reply> {
  const pair = await rolePair(call, 'check_implied_role');
  enforce(call, 'get_implied_role');
  await checkImplication(call, pair);
  return noContent();
}

/** PUT /v3/roles/{prior_role_id}/implies/{implied_role_id} */
export async function create(call: Call): Promise<Reply> {
  const pair = await rolePair(call, 'create_implied_role');
  await createImplication(call, pair);
  return created(rolePairView(call, pair));
}

/** DELETE /v3/roles/{prior_role_id}/implies/{implied_role_id} */
export async function remove(call: Call): Promise<Reply> {
  await removeImplication(call, await rolePair(call, 'delete_implied_role'));
  return noContent();
}

/** The roles in the path. A missing role is a 404 before policy is enforced, as upstream. */
async function rolePair(call: Call, rule: string): Promise<RolePair> {
  const pair = {
    prior: await roleOf(call, 'prior_role_id'),
    implied: await roleOf(call, 'implied_role_id'),
  };
  enforce(call, rule);
  return pair;
}

async function roleOf(call: Call, name: string): Promise<Role> {
  const id = call.params[name]!;
  return found(await findRole(call.db, id), 'role', id);
}
