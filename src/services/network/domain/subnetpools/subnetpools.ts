// Subnet pools: the prefixes from which subnets are allocated. Upstream:
// neutron/ipam/subnet_alloc.py and neutron/db/db_base_plugin_v2.py.
import { removePolicies, requireStillShared, shareNew } from '../sharing/shared-attributes.ts';
import { setTags } from '../../store/tags.ts';
import { subnetpoolTable, subnetTable } from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import { cidrOf, formatNetwork, parseCidr, parseIp, type Cidr } from '../../ip.ts';
import type { Fields } from '../attributes/definitions.ts';
import { checkUpdatable, checkScope } from './address-scopes.ts';
import { visibility, visibleTo } from '../visibility.ts';
import { storedFields, newStandard } from '../standard.ts';
import { cidrsOf, compact, sharesAddresses, without } from './prefixes.ts';
import type { Subnetpool } from '../../model.ts';
import { bad, badResource, inConflict, invalidInput } from '../refusals.ts';

const bitsOf = { 4: 32, 6: 128 } as const;
const defaultMin = { 4: 8, 6: 64 } as const;
/** The prefix lengths in which quotas are counted. */
const units = { 4: 32, 6: 64 } as const;

/** Merges the prefixes of a pool into the fewest possible ones. @throws 400 */
function prefixesOf(given: readonly string[]): { prefixes: string[]; version: 4 | 6 } {
  if (!given.length) throw bad('EmptySubnetPoolPrefixList', 'Empty subnet pool prefix list.');
  const cidrs = cidrsOf(given);
  const { version } = cidrs[0]!.ip;
  if (cidrs.some(({ ip }) => ip.version !== version))
    throw bad('PrefixVersionMismatch', 'Cannot mix IPv4 and IPv6 prefixes in a subnet pool.');
  return { prefixes: compact(cidrs).map(formatNetwork), version };
}

type Bounds = Pick<Subnetpool, 'min_prefixlen' | 'max_prefixlen' | 'default_prefixlen'>;

/** @throws 400 if the prefix lengths contradict each other */
function checkBounds(
  { min_prefixlen: min, max_prefixlen: max, default_prefixlen: fallback }: Bounds,
  version: 4 | 6,
): void {
  const illegal = (name: string, length: number, other: string, bound: number) =>
    bad(
      'IllegalSubnetPoolPrefixBounds',
      `Illegal prefix bounds: ${name}=${length}, ${other}=${bound}.`,
    );
  if (min > max) throw illegal('min_prefixlen', min, 'max_prefixlen', max);
  if (max > bitsOf[version]) throw illegal('max_prefixlen', max, 'ip_version_max', bitsOf[version]);
  if (fallback < min) throw illegal('default_prefixlen', fallback, 'min_prefixlen', min);
  if (fallback > max) throw illegal('default_prefixlen', fallback, 'max_prefixlen', max);
}

/** Finds the default pool of an IP version, if the actor sees it. */
export async function defaultPool(
  context: Context,
  version: number,
): Promise<Subnetpool | undefined> {
  const [pool] = await subnetpoolTable.list(context.db, {
    where: { is_default: true, ip_version: version },
    conditions: visibleTo(context, visibility.subnetpool),
    limit: 1,
  });
  return pool;
}

async function checkOnlyDefault(context: Context, version: number): Promise<void> {
  if (await defaultPool(context, version))
    throw invalidInput(
      'A default subnetpool for this IP family has already been set. Only one default may ' +
        'exist per IP family',
    );
}

export async function createSubnetpool(context: Context, fields: Fields): Promise<Subnetpool> {
  const { prefixes, version } = prefixesOf(fields['prefixes'] as string[]);
  const min = (fields['min_prefixlen'] ?? defaultMin[version]) as number;
  const pool: Subnetpool = {
    ...newStandard(fields, context.now),
    name: fields['name'] as string,
    prefixes,
    ip_version: version,
    min_prefixlen: min,
    max_prefixlen: (fields['max_prefixlen'] ?? bitsOf[version]) as number,
    default_prefixlen: (fields['default_prefixlen'] ?? min) as number,
    default_quota: (fields['default_quota'] ?? null) as number | null,
    is_default: fields['is_default'] as boolean,
    address_scope_id: (fields['address_scope_id'] ?? null) as string | null,
  };
  checkBounds(pool, version);
  if (pool.is_default) await checkOnlyDefault(context, version);
  await checkScope(context, pool);
  await subnetpoolTable.create(context.db, pool);
  if (fields['shared']) await shareNew(context, 'subnetpool', pool);
  return pool;
}

export async function updateSubnetpool(
  context: Context,
  pool: Subnetpool,
  fields: Fields,
): Promise<Subnetpool> {
  const given = fields['prefixes'] as string[] | undefined;
  const read = given && prefixesOf(given);
  if (
    read &&
    without(cidrsOf(pool.prefixes), read.version === pool.ip_version ? cidrsOf(read.prefixes) : [])
      .length
  )
    throw bad(
      'IllegalSubnetPoolPrefixUpdate',
      'Illegal update to prefixes: Existing prefixes must be a subset of the new prefixes.',
    );
  const next = {
    ...storedFields(subnetpoolTable, fields),
    ...(read ? { prefixes: read.prefixes } : {}),
  };
  checkBounds({ ...pool, ...next }, pool.ip_version as 4 | 6);
  if (fields['is_default'] === true && !pool.is_default)
    await checkOnlyDefault(context, pool.ip_version);
  await checkUpdatable(context, pool);
  await checkScope(context, { ...pool, ...next });
  return subnetpoolTable.change(context.db, pool, next, context.now);
}

/** Deletes a pool. @throws 400 if subnets were allocated from it */
export async function deleteSubnetpool(context: Context, pool: Subnetpool): Promise<void> {
  const { db } = context;
  if (await subnetTable.count(db, { where: { subnetpool_id: pool.id } }))
    throw bad(
      'SubnetPoolDeleteError',
      'Unable to delete subnet pool: Subnet pool has existing allocations.',
    );
  await setTags(db, pool.id, []);
  await subnetpoolTable.delete(db, pool);
  await removePolicies(context, pool.id);
}

/**
 * Returns the id of the pool that a new subnet is allocated from, or undefined if it uses none.
 * @throws 400
 */
export async function poolIdFor(context: Context, fields: Fields): Promise<string | undefined> {
  const id = (fields['subnetpool_id'] ?? undefined) as string | undefined;
  if (fields['use_default_subnetpool'] !== true) return id;
  if (id !== undefined)
    throw badResource(
      'subnets',
      'subnetpool_id and use_default_subnetpool cannot both be specified',
    );
  const version = parseCidr(fields['cidr'] ?? null)?.ip.version ?? (fields['ip_version'] as number);
  const pool = await defaultPool(context, version);
  if (!pool) throw badResource('subnets', `No default subnetpool found for IPv${version}`);
  return pool.id;
}

// Upstream's exception has no status, so upstream returns 500 for it.
const unallocated = (why: string) =>
  inConflict('SubnetAllocationError', `Failed to allocate subnet: ${why}.`);

/**
 * Allocates the prefix of a new subnet from a pool: the requested one, or the first free one of the
 * right length.
 * @throws 400, 409
 */
export async function allocatePrefix(
  context: Context,
  pool: Subnetpool,
  fields: Fields,
): Promise<Cidr> {
  const version = pool.ip_version as 4 | 6;
  if (fields['ip_version'] !== version)
    throw badResource(
      'subnets',
      `Cannot allocate IPv${String(fields['ip_version'])} subnet from IPv${version} subnet pool`,
    );
  const requested = requestedPrefix(pool, fields);
  const length = requested?.prefix ?? ((fields['prefixlen'] ?? pool.default_prefixlen) as number);
  checkLength(pool, length);
  // Conflict with transactions that might allocate the same prefix.
  await subnetpoolTable.touch(context.db, pool, context.now);
  await requireStillShared(context, pool, fields['project_id'] as string);
  const subnets = await subnetTable.list(context.db, { where: { subnetpool_id: pool.id } });
  checkPoolQuota(
    pool,
    subnets.filter(({ project_id: owner }) => owner === pool.project_id).map(({ cidr }) => cidr),
    length,
  );
  const remaining = without(cidrsOf(pool.prefixes), cidrsOf(subnets.map(({ cidr }) => cidr)));
  if (requested) {
    if (remaining.some((one) => one.first <= requested.first && requested.last <= one.last))
      return requested;
    throw unallocated('Cannot allocate requested subnet from the available set of prefixes');
  }
  const block = remaining
    .toSorted((a, b) => b.prefix - a.prefix)
    .find(({ prefix }) => length >= prefix);
  if (!block) throw unallocated(`Insufficient prefix space to allocate subnet size /${length}`);
  return cidrOf({ version, value: block.first }, length);
}

/** Returns the prefix that a body requests: its `cidr`, or the network of its `gateway_ip`. */
function requestedPrefix(pool: Subnetpool, fields: Fields): Cidr | undefined {
  const named = parseCidr(fields['cidr'] ?? null);
  const gateway = parseIp(fields['gateway_ip'] ?? null);
  if (named || !gateway || gateway.version !== pool.ip_version) return named;
  return cidrOf(
    gateway,
    Math.min((fields['prefixlen'] ?? pool.default_prefixlen) as number, bitsOf[gateway.version]),
  );
}

function checkLength(pool: Subnetpool, length: number): void {
  const unable = `Unable to allocate subnet with prefix length ${length}`;
  if (length > pool.max_prefixlen)
    throw bad(
      'MaxPrefixSubnetAllocationError',
      `${unable}, maximum allowed prefix is ${pool.max_prefixlen}.`,
    );
  if (length < pool.min_prefixlen)
    throw bad(
      'MinPrefixSubnetAllocationError',
      `${unable}, minimum allowed prefix is ${pool.min_prefixlen}.`,
    );
}

/**
 * @throws 409 if the pool's owner would exceed its quota. As upstream, this counts the subnets of
 *   the pool's owner, not those of the new subnet's project.
 */
function checkPoolQuota(pool: Subnetpool, taken: readonly string[], length: number): void {
  if (!pool.default_quota) return;
  const sizeOf = (prefix: number): number => 2 ** (units[pool.ip_version as 4 | 6] - prefix);
  const used = taken.reduce((sum, cidr) => sum + sizeOf(parseCidr(cidr)!.prefix), 0);
  if (used + sizeOf(length) > pool.default_quota)
    throw inConflict('SubnetPoolQuotaExceeded', 'Per-project subnet pool prefix quota exceeded.');
}

/** Adds prefixes to a pool. @throws 400, 409 */
export const addPrefixes = (
  context: Context,
  pool: Subnetpool,
  added: readonly string[],
): Promise<Subnetpool> =>
  updateSubnetpool(context, pool, { prefixes: [...pool.prefixes, ...added] });

/**
 * Removes what a pool has of the prefixes. It may be left without any.
 * @throws 400 if a subnet has an address of them
 */
export async function removePrefixes(
  { db, now }: Context,
  pool: Subnetpool,
  removed: readonly string[],
): Promise<Subnetpool> {
  const [own, gone] = [cidrsOf(pool.prefixes), cidrsOf(removed)];
  if (!sharesAddresses(own, gone)) return pool;
  const subnets = await subnetTable.list(db, { where: { subnetpool_id: pool.id } });
  if (sharesAddresses(cidrsOf(subnets.map(({ cidr }) => cidr)), gone))
    throw bad(
      'IllegalSubnetPoolPrefixUpdate',
      'Illegal update to prefixes: One or more the prefixes to be removed is in use by a subnet..',
    );
  const prefixes = without(own, sameVersion(gone, pool)).map(formatNetwork);
  return subnetpoolTable.change(db, pool, { prefixes }, now);
}

const sameVersion = (cidrs: readonly Cidr[], pool: Subnetpool): readonly Cidr[] =>
  cidrs.filter(({ ip }) => ip.version === pool.ip_version);
