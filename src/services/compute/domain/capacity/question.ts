// Reads the question how many servers fit: a flavor, and what a request for servers can add to it.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { propertiesOfImage } from '../../clients/image.ts';
import type { Flavor, GroupPolicy, GroupRule } from '../../model.ts';
import { findFlavor, listFlavors } from '../../store/flavors.ts';
import { availableZones } from '../../store/hosts/server-hosts.ts';
import { findGroupRule } from '../../store/servers/groups.ts';
import type { RequestSpec } from '../scheduler/request-spec.ts';
import { copyOf } from '../servers/flavor.ts';
import { loadSettings } from '../settings.ts';

/** The servers that a question is about. Names are as good as ids. */
export interface ServersQuestion {
  readonly flavor: string;
  readonly image?: string | undefined;
  readonly zone?: string | undefined;
  /** The id of a server group. */
  readonly group?: string | undefined;
  /** The policy of a new group. */
  readonly groupPolicy?: GroupPolicy | undefined;
  readonly maxServerPerHost?: number | undefined;
  /** Whether they boot from a volume, so that they need no disk of the host. */
  readonly onVolume?: boolean | undefined;
  /** The id of their project, for aggregates that only some projects may use. */
  readonly project?: string | undefined;
}

/** The request spec of such servers. @throws 400 for an unknown flavor, image, zone or group */
export async function specOf(context: Context, question: ServersQuestion): Promise<RequestSpec> {
  const { db } = context;
  const { flavor, image, zone, onVolume = false, project = '' } = question;
  if (zone !== undefined && !(await availableZones(db)).has(zone))
    throw badRequest(`There is no availability zone '${zone}' with a host that is enabled and up.`);
  const imageProperties = image === undefined ? {} : await propertiesOfImage(context, image);
  if (!imageProperties)
    throw badRequest(`There is no image '${image}', or several images have this name: use the id.`);
  return {
    server: '',
    serverName: '',
    projectId: project,
    userId: '',
    flavor: copyOf(await flavorNamed(context, flavor)),
    onVolume,
    imageProperties,
    zone: zone ?? null,
    host: null,
    node: null,
    forced: false,
    ignoredHosts: [],
    group: await groupOf(context, question),
    sameHost: [],
    differentHost: [],
    reservations: [],
    currentHost: null,
    routedAggregates: [],
    portRequests: new Map(),
    multipliers: await loadSettings(context),
  };
}

async function flavorNamed({ db }: Context, idOrName: string): Promise<Flavor> {
  const byId = await findFlavor(db, idOrName);
  if (byId) return byId;
  const all = await listFlavors(db, { sortKey: 'name', descending: false });
  const byName = all.find(({ name }) => name === idOrName);
  if (byName) return byName;
  const names = all.map(({ name }) => name).slice(0, 20);
  throw badRequest(`There is no flavor '${idOrName}'. Flavors: ${names.join(', ')}.`);
}

async function groupOf(
  { db }: Context,
  { group, groupPolicy: policy, maxServerPerHost }: ServersQuestion,
): Promise<GroupRule | undefined> {
  if (group !== undefined && policy !== undefined)
    throw badRequest('Name a server group, or the policy of a new one, but not both.');
  if (maxServerPerHost !== undefined && policy !== 'anti-affinity')
    throw badRequest('max_server_per_host needs group_policy=anti-affinity.');
  if (policy !== undefined)
    return { uuid: '', policy, perHost: maxServerPerHost ?? 1, selections: 0 };
  if (group === undefined) return undefined;
  const found = await findGroupRule(db, group);
  if (!found) throw badRequest(`There is no server group '${group}'.`);
  return found;
}
