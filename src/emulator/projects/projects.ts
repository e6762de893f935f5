// Creates and deletes throw-away projects. Services contribute by their `throwaway` hooks.
import type { Micros } from '../../kernel/clock.ts';
import {
  centralContext,
  inCentralTransaction,
  inRegionTransaction,
  systemContext,
} from '../../kernel/context.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { newHexId } from '../../kernel/ids.ts';
import type { Cloud, Context, Region } from '../../kernel/model.ts';
import { isServedIn } from '../../kernel/regions.ts';
import type { ProjectNetwork, ResourceOwners, ThrowawayAccount } from './hooks.ts';
import type { NewProject, ProjectRequest } from './model.ts';
import { deleteProject, findProject, insertProject } from './store.ts';

/** The roles of a user by default. */
const defaultRoles = ['member', 'reader'];

export const systemOf = (cloud: Cloud, now: Micros): Context =>
  systemContext(cloud, cloud.firstRegion, cloud.central.db, now);

/**
 * Creates a project. If it cannot be completed in a region, nothing of it is left.
 * @throws 400 for an unknown role or quota; 409 if the name is in use, or without Keystone
 */
export async function createThrowaway(
  cloud: Cloud,
  now: Micros,
  request: ProjectRequest,
): Promise<NewProject> {
  requireKeystone(cloud);
  const context = systemOf(cloud, now);
  const openAccount = cloud.services
    .map(({ definition }) => definition.throwaway?.openAccount)
    .find(Boolean)!;
  const roles = [...new Set(request.roles ?? defaultRoles)];
  const name = request.name ?? `project-${newHexId().slice(0, 12)}`;
  const account = await openAccount(
    context,
    { name, roles, password: request.password },
    (central, { projectId, ...fields }) =>
      insertProject(central.db, { ...fields, id: projectId, createdAt: now }),
  );
  const { projectId: id, domainId, userId, password, token } = account;
  const networks: NewProject['networks'][number][] = [];
  try {
    for (const region of cloud.regions.values()) {
      const network = await furnish(context, region, id, request);
      if (network) networks.push({ region: region.name, ...network });
    }
  } catch (error) {
    await removeThrowaway(cloud, now, id);
    throw error;
  }
  const fields = { id, name: account.name, domainId, userId, createdAt: now };
  return { ...fields, roles, password, token, networks };
}

/** @throws 409 if the cloud has no Keystone of its own, in which the user could sign in */
function requireKeystone({ config: { auth, keystone } }: Cloud): void {
  if (auth === 'keystone' && keystone === undefined) return;
  throw conflict(
    "Projects need the emulator's own Keystone: start it without --auth noauth2 and without " +
      '--keystone.',
  );
}

/** Sets the quotas of a project in a region, and creates its network. */
function furnish(
  context: Context,
  region: Region,
  projectId: string,
  { quotas = {}, network = true }: ProjectRequest,
): Promise<ProjectNetwork | undefined> {
  return inRegionTransaction(context, region, async (inner) => {
    let created: ProjectNetwork | undefined;
    for (const { definition } of context.cloud.services) {
      const { throwaway, name } = definition;
      if (!throwaway || !isServedIn(definition, region)) continue;
      const limits = quotas[name];
      if (limits) await throwaway.setQuotas?.(inner, projectId, limits);
      if (network) created ??= await throwaway.createNetwork?.(inner, projectId);
    }
    return created;
  });
}

/**
 * Deletes a project and everything that belongs to it. Its tokens end first. If the deletion fails
 * midway, it can be repeated.
 * @returns how many resources were deleted, by kind
 * @throws 404
 */
export async function removeThrowaway(
  cloud: Cloud,
  now: Micros,
  id: string,
): Promise<Readonly<Record<string, number>>> {
  const context = systemOf(cloud, now);
  const project = await findProject(centralContext(context).db, id);
  if (!project)
    throw notFound(
      `There is no throw-away project '${id}'. See GET /_emulator/projects for a list.`,
    );
  const account = { ...project, projectId: id };
  const owners = await inCentralTransaction(context, (central) => closeAccount(central, account));
  const counts = await removeFromRegions(context, owners, account);
  const last = await inCentralTransaction(context, async (central) => {
    await deleteProject(central.db, id);
    return removeFrom(central, 'central', owners, account);
  });
  return summed([...counts, ...last]);
}

/** Deletes everything that the owners have in the regions. @returns how many, by kind */
export async function removeFromRegions(
  context: Context,
  owners: ResourceOwners,
  account: ThrowawayAccount,
): Promise<[kind: string, count: number][]> {
  const counts: [string, number][] = [];
  for (const region of context.cloud.regions.values())
    counts.push(
      ...(await inRegionTransaction(context, region, (inner) =>
        removeFrom(inner, 'region', owners, account),
      )),
    );
  return counts;
}

/** Adds up counts by kind, in the order of the kinds, and leaves out zeros. */
function summed(counts: readonly [string, number][]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [kind, count] of counts) sums.set(kind, (sums.get(kind) ?? 0) + count);
  const kinds = [...sums.keys()].filter((kind) => sums.get(kind)).toSorted();
  return Object.fromEntries(kinds.map((kind) => [kind, sums.get(kind)!]));
}

async function closeAccount(context: Context, account: ThrowawayAccount): Promise<ResourceOwners> {
  for (const { definition } of context.cloud.services) {
    const owners = await definition.throwaway?.closeAccount?.(context, account);
    if (owners) return owners;
  }
  return { projectIds: [account.projectId], userIds: [account.userId] };
}

/** Deletes what the services of a database have. @returns how many, by kind */
async function removeFrom(
  context: Context,
  database: 'central' | 'region',
  owners: ResourceOwners,
  account: ThrowawayAccount,
): Promise<[kind: string, count: number][]> {
  const counts: [string, number][] = [];
  for (const { definition } of context.cloud.services) {
    if (definition.database !== database) continue;
    const removed = await definition.throwaway?.remove?.(context, owners, account);
    counts.push(...Object.entries(removed ?? {}));
  }
  return counts;
}
