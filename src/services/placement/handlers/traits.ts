// Operations on traits, and on the traits of a provider.
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import {
  deleteTrait,
  ensureTrait,
  existingTrait,
  replaceTraits,
  requireTraits,
} from '../domain/traits.ts';
import { listNames, traitTable, type NameFilter } from '../store/names.ts';
import { findTraits, listProviderTraits, traitIdsOf } from '../store/traits.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { providerTraitsView, traitsView, traitUrl } from '../views/traits.ts';
import { generationChanged } from '../domain/refusals.ts';
import { missing, providerInPath } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';
import type { Named, Provider } from '../model.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const traits = await listNames(call.db, traitTable, readFilter(call));
  return ok(traitsView(traits), cacheHeaders(call.version, newest(traits, call.now)));
}

/** Reads the filters in the query. @throws 400 */
function readFilter(call: PlacementCall): NameFilter {
  const associated = call.query.last('associated');
  if (associated !== undefined && !/^(true|false)$/i.test(associated)) {
    throw badRequest(`The query parameter "associated" only accepts "true" or "false"`);
  }
  return {
    ...readNameFilter(call.query.last('name')),
    ...(associated === undefined ? {} : { associated: /^true$/i.test(associated) }),
  };
}

/** Reads `in:A,B` or `startswith:P`. As in upstream, other operators are ignored. */
function readNameFilter(text: string | undefined): NameFilter {
  if (text === undefined) return {};
  const [, operator, value] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (operator === undefined) {
    throw badRequest(
      'Badly formatted name parameter. Expected name query string parameter in form: ' +
        `?name=[in|startswith]:[name1,name2|prefix]. Got: "${text}"`,
    );
  }
  if (operator === 'in') return { names: value!.split(',') };
  return operator === 'startswith' ? { prefix: value! } : {};
}

export async function show(call: PlacementCall): Promise<Reply> {
  const trait = await existingTrait(call.db, call.params['name']!);
  return noContent(cacheHeaders(call.version, trait.createdAt));
}

export async function ensure(call: PlacementCall): Promise<Reply> {
  const { trait, isNew } = await ensureTrait(call, call.params['name']!);
  const headers = {
    location: call.origin + traitUrl(call, trait.name),
    ...cacheHeaders(call.version, trait.createdAt),
  };
  return isNew ? created(undefined, headers) : noContent(headers);
}

export async function remove(call: PlacementCall): Promise<Reply> {
  await deleteTrait(call.db, call.params['name']!);
  return noContent();
}

export async function listOfProvider(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call, missing.twice);
  return replyWithTraits(call, provider, await listProviderTraits(call.db, provider.id));
}

const replyWithTraits = (call: PlacementCall, provider: Provider, traits: Named[]): Reply =>
  ok(providerTraitsView(provider, traits), cacheHeaders(call.version, newest(traits, call.now)));

/** Finds the provider in the path and the ids of its traits. @throws 404 */
const providerAndTraitIds = (call: PlacementCall): Promise<[Provider, number[]]> =>
  pipelined([providerInPath(call), traitIdsOf(call.db, call.params['uuid']!)]);

export async function updateOfProvider(call: PlacementCall): Promise<Reply> {
  const body = call.body as { traits: string[]; resource_provider_generation: number };
  const [[provider, before], traits] = await pipelined([
    providerAndTraitIds(call),
    findTraits(call.db, body.traits),
  ]);
  if (body.resource_provider_generation !== provider.generation) throw generationChanged();
  requireTraits(traits, body.traits);
  return replyWithTraits(call, await replaceTraits(call, provider, before, traits), traits);
}

export async function removeOfProvider(call: PlacementCall): Promise<Reply> {
  await replaceTraits(call, ...(await providerAndTraitIds(call)), []);
  return noContent();
}
