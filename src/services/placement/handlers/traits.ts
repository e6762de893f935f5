// Traits, and the traits of a provider.
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { deleteTrait, ensureTrait, existingTrait, replaceTraits } from '../domain/traits.ts';
import { listNamed, traitTable, type NameFilter } from '../store/names.ts';
import { traitIdsOf, traitsOf } from '../store/traits.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { providerTraitsView, traitsView, traitUrl } from '../views/traits.ts';
import { generationChanged } from '../domain/refusals.ts';
import { missing, providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';
import type { Provider } from '../model.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const traits = await listNamed(call.db, traitTable, filterOf(call));
  return ok(traitsView(traits), cacheHeaders(call.version, newest(traits, call.now)));
}

/** The filters in the query. @throws 400 */
function filterOf(call: PlacementCall): NameFilter {
  const associated = call.query.last('associated');
  if (associated !== undefined && !/^(true|false)$/i.test(associated)) {
    throw badRequest(`The query parameter "associated" only accepts "true" or "false"`);
  }
  return {
    ...nameFilter(call.query.last('name')),
    ...(associated === undefined ? {} : { associated: /^true$/i.test(associated) }),
  };
}

/** `in:A,B` or `startswith:P`. As upstream, any other operator filters nothing. */
function nameFilter(text: string | undefined): NameFilter {
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
  return replyWith(call, await providerOf(call, missing.twice));
}

async function replyWith(call: PlacementCall, provider: Provider): Promise<Reply> {
  const traits = await traitsOf(call.db, provider.id);
  return ok(
    providerTraitsView(provider, traits),
    cacheHeaders(call.version, newest(traits, call.now)),
  );
}

/** The provider in the path, and the ids of its traits. @throws 404 */
async function withTraits(call: PlacementCall): Promise<[Provider, number[]]> {
  return pipelined([providerOf(call), traitIdsOf(call.db, call.params['uuid']!)]);
}

export async function updateOfProvider(call: PlacementCall): Promise<Reply> {
  const [provider, before] = await withTraits(call);
  const body = call.body as { traits: string[]; resource_provider_generation: number };
  if (body.resource_provider_generation !== provider.generation) throw generationChanged();
  return replyWith(call, await replaceTraits(call, provider, before, body.traits));
}

export async function removeOfProvider(call: PlacementCall): Promise<Reply> {
  await replaceTraits(call, ...(await withTraits(call)), []);
  return noContent();
}
