// Seeds the catalog with the cloud's services and their endpoints in each region, and updates it
// when a region is opened or closed.
import { isDeepStrictEqual } from 'node:util';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { idFor } from '../../../../kernel/ids.ts';
import { isServedIn } from '../../../../kernel/regions.ts';
import { ensureEndpoints, listEndpoints } from '../../store/catalog/endpoints.ts';
import {
  deleteRegion,
  ensureRegions,
  findRegion,
  listRegions,
} from '../../store/catalog/regions.ts';
import { ensureServices, listServices } from '../../store/catalog/services.ts';
import { listRegisteredLimits } from '../../store/limit/limits.ts';
import { hasAssociationsIn } from '../../store/policy/policies.ts';
import type { CatalogRegion, CatalogService, Endpoint } from '../../model.ts';
import { seededId } from '../seeded-ids.ts';
import { deleteEndpoint } from './endpoints.ts';
import { originPlaceholder } from './origin.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { ServiceDefinition, Cloud, Region, Context } from '../../../../kernel/model.ts';

/**
 * Adds all services in each new region, and new services in all regions. It does not restore
 * endpoints that were deleted.
 */
export async function seedCatalog(db: Db, cloud: Cloud): Promise<void> {
  const regions = [...cloud.regions.values()];
  const knownRegions = new Set((await listRegions(db)).map((region) => region.id));
  const knownServices = new Set((await listServices(db)).map((service) => service.id));
  const listed = regions.map((region) => [region, listedServices(cloud, region)] as const);
  const isNew = (service: ListedService): boolean => !knownServices.has(service.id);
  const newRegions = regions.filter(({ name }) => !knownRegions.has(name));
  await ensureRegions(
    db,
    newRegions.map(({ name }) => seededRegion(name)),
  );
  await ensureServices(db, servicesOf(listed.flatMap(([, services]) => services).filter(isNew)));
  const endpoints = listed.flatMap(([region, services]) =>
    services
      .filter((service) => !knownRegions.has(region.name) || isNew(service))
      .flatMap((service) => endpointsOf(cloud, region, service)),
  );
  await ensureEndpoints(db, endpoints);
}

/**
 * Adds the services in a region that was opened, even if the catalog still has a region of that
 * name.
 */
export async function addRegionToCatalog({ db, cloud }: Context, region: Region): Promise<void> {
  const services = listedServices(cloud, region);
  await ensureRegions(db, [seededRegion(region.name)]);
  await ensureServices(db, servicesOf(services));
  await ensureEndpoints(
    db,
    services.flatMap((service) => endpointsOf(cloud, region, service)),
  );
  await bumpAuthRevision(db);
}

/**
 * Removes the seeded endpoints of a region that was closed while the cloud runs. Also removes the
 * region from the catalog, unless it has been changed, or an endpoint, a child region, a registered
 * limit or a policy refers to it.
 */
export async function removeRegionFromCatalog(context: Context, name: string): Promise<void> {
  const { db, cloud } = context;
  const seeded = seededEndpointIds(cloud, name);
  const endpoints = await listEndpoints(db);
  for (const endpoint of endpoints)
    if (seeded.has(endpoint.id)) await deleteEndpoint(context, endpoint);
  const region = await findRegion(db, name);
  if (!region || !isDeepStrictEqual(region, seededRegion(name))) return;
  const isReferredTo =
    endpoints.some((endpoint) => endpoint.regionId === name && !seeded.has(endpoint.id)) ||
    (await listRegions(db)).some((other) => other.parentId === name) ||
    (await listRegisteredLimits(db)).some((limit) => limit.regionId === name) ||
    (await hasAssociationsIn(db, name));
  if (!isReferredTo) await deleteRegion(db, name);
}

/** An entry of the catalog: a service, or one of its aliases. */
interface ListedService {
  readonly id: string;
  /** The name from which the ids of its endpoints are derived. */
  readonly name: string;
  readonly type: string;
  readonly catalogName: string;
  readonly definition: ServiceDefinition;
}

/**
 * The catalog entries of a service definition; none if it has no type. A definition that serves the
 * API of another service is listed under that service's name.
 */
function entriesOf(definition: ServiceDefinition): ListedService[] {
  const { type, name, api = name, aliases = [] } = definition;
  if (type === undefined) return [];
  const further = aliases.map((alias) => ({
    ...alias,
    name: `${name}.${alias.name}`,
    catalogName: alias.name,
  }));
  return [{ type, name: api, catalogName: projectNames[api] ?? api }, ...further].map((entry) => ({
    ...entry,
    id: seededId('service', entry.name),
    definition,
  }));
}

const listedServices = ({ services }: Cloud, region: Region): ListedService[] =>
  services.flatMap(({ definition }) =>
    isServedIn(definition, region) ? entriesOf(definition) : [],
  );

const seededEndpointIds = ({ services }: Cloud, region: string): ReadonlySet<string> =>
  new Set(
    services
      .flatMap(({ definition }) => entriesOf(definition))
      .flatMap((entry) => interfaces.map((face) => endpointId(region, entry, face))),
  );

const seededRegion = (id: string): CatalogRegion => ({
  id,
  description: '',
  parentId: null,
  extra: {},
});

/** The records of the entries, without duplicates. */
function servicesOf(entries: readonly ListedService[]): CatalogService[] {
  const records = entries.map(({ id, type, catalogName, definition }): [string, CatalogService] => [
    id,
    { id, type, enabled: true, extra: { name: catalogName, description: definition.description } },
  ]);
  return [...new Map(records).values()];
}

/** The names of services in the catalog, which are the names of the OpenStack projects. */
const projectNames: Readonly<Record<string, string>> = {
  identity: 'keystone',
  compute: 'nova',
  image: 'glance',
  network: 'neutron',
  volume: 'cinderv3',
  reservation: 'blazar',
  clustering: 'senlin',
  tricircle: 'tricircle',
};

const interfaces = ['public', 'internal', 'admin'];

const endpointId = (region: string, { name }: ListedService, face: string): string =>
  idFor(`identity.endpoint.${region}.${name}.${face}`);

function endpointsOf({ firstRegion }: Cloud, region: Region, service: ListedService): Endpoint[] {
  const { definition } = service;
  const base =
    region.id === firstRegion.id || definition.database === 'central'
      ? originPlaceholder
      : `${originPlaceholder}/${region.name}`;
  return interfaces.map((face) => ({
    id: endpointId(region.name, service, face),
    serviceId: service.id,
    interface: face,
    regionId: region.name,
    url: `${base}${definition.prefix}${definition.catalogPath ?? ''}`,
    enabled: true,
    extra: {},
  }));
}
