// Implications: who has the prior role has the implied one as well.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { notFound } from '../../../../kernel/fault.ts';
import type { Role } from '../../domain/records.ts';
import { duplicate, forbiddenPlainly, found } from '../../domain/refusals.ts';
import {
  deleteImplication,
  findRole,
  hasImplication,
  insertImplication,
  listImplications,
  listRoles,
} from '../../store/assignment/roles.ts';
import { linkTo } from '../../views/links.ts';
import { roleReference } from '../../views/assignment/roles.ts';
import { allow } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** Roles that nothing may imply. Upstream: [assignment] prohibited_implied_role. */
const neverImplied = ['admin'];

/** GET /v3/roles/{prior_role_id}/implies */
export async function list(call: Call): Promise<Reply> {
  const prior = await roleAt(call, 'prior_role_id');
  allow(call, 'list_implied_roles');
  const roles = await listRoles(call.db);
  const ids = (await listImplications(call.db)).filter(({ priorId }) => priorId === prior.id).map(({ impliedId }) => impliedId);
  const implies = roles.filter((role) => ids.includes(role.id)).map((role) => roleReference(call, role));
  const links = { self: linkTo(call, `roles/${prior.id}/implies`) };
  return ok({ role_inference: { prior_role: roleReference(call, prior), implies }, links });
}

/** GET /v3/role_inferences; roles that imply none are left out. */
export async function listAll(call: Call): Promise<Reply> {
  allow(call, 'list_role_inference_rules');
  const roles = await listRoles(call.db);
  const steps = await listImplications(call.db);
  const inferences = roles.flatMap((prior) => {
    const ids = steps.filter(({ priorId }) => priorId === prior.id).map(({ impliedId }) => impliedId);
    const implies = roles.filter((role) => ids.includes(role.id)).map((role) => roleReference(call, role));
    return implies.length ? [{ prior_role: roleReference(call, prior), implies }] : [];
  });
  return ok({ role_inferences: inferences });
}

/** GET /v3/roles/{prior_role_id}/implies/{implied_role_id} */
export async function show(call: Call): Promise<Reply> {
  const pair = await both(call, 'get_implied_role');
  await mustImply(call, pair);
  return ok(inference(call, pair));
}

/** HEAD of the same: 204, where the GET is 200. */
export async function check(call: Call): Promise<Reply> {
  const pair = await both(call, 'check_implied_role');
  allow(call, 'get_implied_role');
  await mustImply(call, pair);
  return noContent();
}

/** PUT /v3/roles/{prior_role_id}/implies/{implied_role_id} */
export async function create(call: Call): Promise<Reply> {
  const pair = await both(call, 'create_implied_role');
  const { prior, implied } = pair;
  if (neverImplied.includes(implied.name) || (prior.domainId === null && implied.domainId !== null)) throw forbiddenPlainly();
  try {
    await insertImplication(call.db, { priorId: prior.id, impliedId: implied.id });
  } catch (error) {
    throw isDuplicate(error) ? duplicateRule() : error;
  }
  await bumpAuthRevision(call.db);
  return created(inference(call, pair));
}

const duplicateRule = () => {
  const fault = duplicate('implied_role', '');
  fault.message = 'Conflict occurred attempting to store implied_role - Duplicate entry.';
  return fault;
};

/** DELETE /v3/roles/{prior_role_id}/implies/{implied_role_id} */
export async function remove(call: Call): Promise<Reply> {
  const pair = await both(call, 'delete_implied_role');
  const gone = await deleteImplication(call.db, { priorId: pair.prior.id, impliedId: pair.implied.id });
  if (!gone) throw doesNotImply(pair);
  await bumpAuthRevision(call.db);
  return noContent();
}

interface Pair {
  readonly prior: Role;
  readonly implied: Role;
}

const inference = (call: Call, { prior, implied }: Pair): object => ({
  role_inference: { prior_role: roleReference(call, prior), implies: roleReference(call, implied) },
  links: { self: linkTo(call, `roles/${prior.id}/implies/${implied.id}`) },
});

const doesNotImply = ({ prior, implied }: Pair) => notFound(`${prior.id} does not imply ${implied.id}.`);

async function mustImply(call: Call, pair: Pair): Promise<void> {
  if (!(await hasImplication(call.db, { priorId: pair.prior.id, impliedId: pair.implied.id }))) throw doesNotImply(pair);
}

/** Roles that are not there are a 404 before policy is asked, as upstream. */
async function both(call: Call, rule: string): Promise<Pair> {
  const pair = { prior: await roleAt(call, 'prior_role_id'), implied: await roleAt(call, 'implied_role_id') };
  allow(call, rule);
  return pair;
}

async function roleAt(call: Call, name: string): Promise<Role> {
  const id = call.params[name]!;
  return found(await findRole(call.db, id), 'role', id);
}
