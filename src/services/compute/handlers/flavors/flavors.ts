// Flavors: list, show, create, update and delete.
import { newUuid } from '../../../../kernel/ids.ts';
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { finder } from '../../../../kernel/bounded-text.ts';
import { may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { createFlavor, deleteFlavor, flavorOf, updateFlavor } from '../../domain/flavors.ts';
import { atLeast } from '../../domain/numbers.ts';
import { fieldError } from '../../errors.ts';
import { ownTarget } from '../../steps.ts';
import { listFlavors, type FlavorFilter } from '../../store/flavors.ts';
import { flavorItem, flavorView } from '../../views/flavors.ts';
import { nextPageLinks } from '../../views/links.ts';
import { pageAfterMarker, pageOf } from '../paging.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Flavor } from '../../model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  return listReply(call, 'flavors', (flavor) => flavorItem(call, flavor));
}

export async function detail(call: ComputeCall): Promise<Reply> {
  const showsSpecs = maySeeSpecs(call);
  return listReply(call, 'flavors/detail', (flavor) => flavorView(call, flavor, showsSpecs));
}

const maySeeSpecs = (call: ComputeCall): boolean =>
  may(call, 'os_compute_api:os-flavor-extra-specs:index', ownTarget(call));

async function listReply(
  call: ComputeCall,
  path: string,
  view: (flavor: Flavor) => object,
): Promise<Reply> {
  const { query, version } = call;
  const page = await pageOf(call);
  const name = version.has('2.102') ? query.last('name') : undefined;
  const nameMatches = name === undefined ? () => true : matcherOf(name);
  const all = (await listFlavors(call.db, filterOf(call))).filter((flavor) =>
    nameMatches(flavor.name),
  );
  const flavors = pageAfterMarker(all, page, (flavor) => flavor.flavorid);
  const links = nextPageLinks(call, path, flavors, page.limit, flavors.at(-1)?.flavorid ?? '');
  return ok({ flavors: flavors.map(view), ...(links.length ? { flavors_links: links } : {}) });
}

function filterOf(call: ComputeCall): FlavorFilter {
  const { query } = call;
  const isPublic = call.actor.isAdmin ? publicFilter(query.last('is_public')) : true;
  return {
    ...(isPublic === undefined ? {} : { isPublic }),
    projectId: call.caller.projectId,
    ...minimumOf('minRam', 'minMemoryMb', query.last('minRam')),
    ...minimumOf('minDisk', 'minRootGb', query.last('minDisk')),
    sortKey: query.last('sort_key') ?? 'flavorid',
    descending: query.last('sort_dir') === 'desc',
  };
}

/** An administrator's filter `is_public`; undefined means all flavors. @throws 400 */
function publicFilter(text: string | undefined): boolean | undefined {
  if (text === undefined) return true;
  if (text.toLowerCase() === 'none') return undefined;
  const value = boolFromString(text);
  if (value === undefined) throw badRequest(`Invalid is_public filter [${text}]`);
  return value;
}

/** The filter for a minimum. @throws 400 */
function minimumOf(
  name: string,
  field: 'minMemoryMb' | 'minRootGb',
  text: string | undefined,
): Record<string, number> {
  if (text === undefined) return {};
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(text)) throw badRequest(`Invalid ${name} filter [${text}]`);
  return { [field]: Number(text.replaceAll('_', '')) };
}

/** A function that searches names for a regular expression, or for an invalid one as plain text. */
function matcherOf(pattern: string): (name: string) => boolean {
  try {
    return finder(pattern);
  } catch {
    return (name) => name.includes(pattern);
  }
}

export async function show(call: ComputeCall): Promise<Reply> {
  const flavor = await flavorOf(
    call.db,
    call.params['id']!,
    call.actor.isAdmin ? undefined : (call.caller.projectId ?? ''),
  );
  return ok({ flavor: flavorView(call, flavor, maySeeSpecs(call)) });
}

interface CreateBody {
  flavor: {
    name: string;
    id?: string | number | null;
    ram: number | string;
    vcpus: number | string;
    disk: number | string;
    'OS-FLV-EXT-DATA:ephemeral'?: number | string;
    swap?: number | string;
    rxtx_factor?: number | string;
    'os-flavor-access:is_public'?: boolean | string;
    description?: string | null;
  };
}

export async function create(call: ComputeCall): Promise<Reply> {
  const body = (call.body as CreateBody).flavor;
  const { id, rxtx_factor: factor = 1, 'os-flavor-access:is_public': isPublic = true } = body;
  if (Number(factor) <= 0)
    throw fieldError(
      'rxtx_factor',
      factor,
      `${Number(factor)} is less than or equal to the minimum of 0`,
    );
  const fields = {
    flavorid: id ? String(id) : newUuid(),
    name: body.name,
    vcpus: atLeast(1, 'vcpus', body.vcpus),
    memoryMb: atLeast(1, 'ram', body.ram),
    rootGb: atLeast(0, 'disk', body.disk),
    ephemeralGb: atLeast(0, 'OS-FLV-EXT-DATA:ephemeral', body['OS-FLV-EXT-DATA:ephemeral'] ?? 0),
    swap: atLeast(0, 'swap', body.swap ?? 0),
    rxtxFactor: Number(factor),
    isPublic: boolFromString(String(isPublic)) ?? true,
    description: body.description ?? null,
  };
  return ok({ flavor: flavorView(call, await createFlavor(call, fields), maySeeSpecs(call)) });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const { description } = (call.body as { flavor: { description: string | null } }).flavor;
  const flavor = await updateFlavor(call, await flavorOf(call.db, call.params['id']!), description);
  return ok({ flavor: flavorView(call, flavor, maySeeSpecs(call)) });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteFlavor(call, call.params['id']!);
  return accepted();
}
