// Traits, and the traits of a provider.
import { isForeignKey } from '../../../kernel/db/errors.ts';
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound } from '../../../kernel/fault.ts';
import { replaceLinks, traitIdsOf, traitsOf } from '../store/links.ts';
import { deleteNamed, findNamed, idsOf, insertNamed, listNamed, traitTable, type NameFilter } from '../store/names.ts';
import { bumpGeneration, type Provider } from '../store/resource-providers.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { generationChanged, missing, providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const traits = await listNamed(call.db, traitTable, filterOf(call));
  return ok({ traits: traits.map(({ name }) => name) }, cacheHeaders(call.at, newest(traits, call.now)));
}

/** @throws 400 */
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

/** `in:A,B` or `startswith:P`. An operator that upstream does not know filters nothing there, and here. */
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
  const trait = await findNamed(call.db, traitTable, call.params['name']!);
  if (!trait) throw notFound(`No such trait(s): ${call.params['name']}.`);
  return noContent(cacheHeaders(call.at, trait.createdAt));
}

export async function ensure(call: PlacementCall): Promise<Reply> {
  const name = call.params['name']!;
  if (!/^CUSTOM_[A-Z0-9_]{1,248}$/.test(name)) {
    throw badRequest(
      'The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"',
    );
  }
  const location = `${call.origin}${call.prefix}/traits/${name}`;
  const found = await findNamed(call.db, traitTable, name);
  const trait = found ?? (await insertNamed(call.db, traitTable, name, call.now));
  const headers = { location, ...cacheHeaders(call.at, trait.createdAt) };
  return found ? noContent(headers) : created(undefined, headers);
}

export async function remove(call: PlacementCall): Promise<Reply> {
  const name = call.params['name']!;
  const trait = await findNamed(call.db, traitTable, name);
  if (!trait) throw notFound(`No such trait(s): ${name}.`);
  if (!name.startsWith('CUSTOM_')) throw badRequest(`Cannot delete standard trait ${name}.`);
  try {
    await deleteNamed(call.db, traitTable, trait.id);
  } catch (error) {
    throw isForeignKey(error) ? conflict(`The trait ${name} is in use by a resource provider.`) : error;
  }
  return noContent();
}

export async function listOfProvider(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call, missing.twice);
  return shown(call, provider);
}

async function shown(call: PlacementCall, provider: Provider): Promise<Reply> {
  const traits = await traitsOf(call.db, provider.id);
  const body = { traits: traits.map(({ name }) => name), resource_provider_generation: provider.generation };
  return ok(body, cacheHeaders(call.at, newest(traits, call.now)));
}

export async function updateOfProvider(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const body = call.body as { traits: string[]; resource_provider_generation: number };
  if (body.resource_provider_generation !== provider.generation) throw generationChanged();
  const ids = await idsOf(call.db, traitTable, body.traits);
  const unknown = [...new Set(body.traits)].filter((name) => !ids.has(name));
  if (unknown.length) throw badRequest(`No such trait ${unknown.join(', ')}`);
  return shown(call, await setTraits(call, provider, [...ids.values()]));
}

/** The generation goes up only where the set changes. */
async function setTraits(call: PlacementCall, provider: Provider, after: readonly number[]): Promise<Provider> {
  const before = await traitIdsOf(call.db, provider.id);
  if (before.length === after.length && before.every((id) => after.includes(id))) return provider;
  const bumped = await bumpGeneration(call.db, provider, call.now, generationChanged());
  await replaceLinks(call.db, 'trait', provider.id, before, after);
  return bumped;
}

export async function removeOfProvider(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  await setTraits(call, provider, []);
  return noContent();
}
