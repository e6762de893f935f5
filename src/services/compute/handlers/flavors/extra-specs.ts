// The extra specs of a flavor: list, show, create, update and delete.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { checkExtraSpec } from '../../domain/extra-specs.ts';
import { deleteExtraSpec, extraSpecOf, flavorOf, updateExtraSpecs } from '../../domain/flavors.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Flavor } from '../../model.ts';

/** The flavor in the path. @throws 404 if the caller may not use it */
const flavorOfPath = (call: ComputeCall): Promise<Flavor> =>
  flavorOf(
    call.db,
    call.params['flavor_id']!,
    call.actor.isAdmin ? undefined : (call.caller.projectId ?? ''),
  );

type Specs = Record<string, string | number>;

export async function list(call: ComputeCall): Promise<Reply> {
  return ok({ extra_specs: (await flavorOfPath(call)).extraSpecs });
}

/** Stores numbers as text, but returns the body unchanged. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { extra_specs: specs } = call.body as { extra_specs: Specs };
  check(call, specs);
  await updateExtraSpecs(call, await flavorOfPath(call), asText(specs));
  return ok(call.body);
}

const asText = (specs: Specs): Record<string, string> =>
  Object.fromEntries(Object.entries(specs).map(([name, value]) => [name, String(value)]));

function check(call: ComputeCall, specs: Specs): void {
  if (call.version.has('2.86'))
    for (const [name, value] of Object.entries(asText(specs))) checkExtraSpec(name, value);
}

export async function show(call: ComputeCall): Promise<Reply> {
  const name = call.params['id']!;
  return ok({ [name]: extraSpecOf(await flavorOfPath(call), name) });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const specs = call.body as Specs;
  check(call, specs);
  if (!Object.hasOwn(specs, call.params['id']!)) throw badRequest('Request body and URI mismatch');
  await updateExtraSpecs(call, await flavorOfPath(call), asText(specs));
  return ok(specs);
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteExtraSpec(call, await flavorOfPath(call), call.params['id']!);
  return reply(200);
}
