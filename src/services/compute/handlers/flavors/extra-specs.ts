// Extra specs of a flavor: list, show, create, update, delete.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { checkExtraSpec } from '../../domain/extra-specs.ts';
import { deleteExtraSpec, extraSpecOf, flavorOf, updateExtraSpecs } from '../../domain/flavors.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Flavor } from '../../model.ts';

const flavor = (call: ComputeCall): Promise<Flavor> =>
  flavorOf(
    call.db,
    call.params['flavor_id']!,
    call.actor.isAdmin ? undefined : (call.caller!.projectId ?? ''),
  );

type Specs = Record<string, string | number>;

export async function list(call: ComputeCall): Promise<Reply> {
  return ok({ extra_specs: (await flavor(call)).extraSpecs });
}

/** Numbers are kept as text, and answered as they came. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { extra_specs: specs } = call.body as { extra_specs: Specs };
  check(call, specs);
  await updateExtraSpecs(call, await flavor(call), texts(specs));
  return ok(call.body);
}

const texts = (specs: Specs): Record<string, string> =>
  Object.fromEntries(Object.entries(specs).map(([name, value]) => [name, String(value)]));

function check(call: ComputeCall, specs: Specs): void {
  if (call.version.has('2.86'))
    for (const [name, value] of Object.entries(texts(specs))) checkExtraSpec(name, value);
}

export async function show(call: ComputeCall): Promise<Reply> {
  const name = call.params['id']!;
  return ok({ [name]: extraSpecOf(await flavor(call), name) });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const specs = call.body as Specs;
  check(call, specs);
  if (!Object.hasOwn(specs, call.params['id']!)) throw badRequest('Request body and URI mismatch');
  await updateExtraSpecs(call, await flavor(call), texts(specs));
  return ok(specs);
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteExtraSpec(call, await flavor(call), call.params['id']!);
  return reply(200);
}
