// The catalog that a cloud starts with: its services, with endpoints in each region. It follows
// regions that come and go.
import { isDeepStrictEqual } from 'node:util';
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
import { originMark } from './origin.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { ServiceDefinition, Cloud, Region, Context } from '../../../../kernel/model.ts';

/**
 * Lists the services in each new region, and the new services in all regions. Endpoints that were
 * deleted are not listed again.
 */
export async function seedCatalog(db: Db, cloud: Cloud): Promise<void> {
  const regions = [...cloud.regions.values()];
  const knownRegions = new Set((await listRegions(db)).map((region) => region.id));
  const knownServices = new Set((await listServices(db)).map((service) => service.id));
  const listed = regions.map((region) => [region, listedServices(cloud, region)] as const);
  const isNew = (service: ListedService): boolean => !knownServices.has(service.id);
  const named = regions.filter(({ name }) => !knownRegions.has(name));
  await ensureRegions(
    db,
    named.map(({ name }) => seededRegion(name)),
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
 * Lists the services in a region that has joined the cloud, also where the catalog still knew the
 * region by its name.
 */
export async function addRegionToCatalog({ db, cloud }: Context, region: Region): Promise<void> {
  const services = listedServices(cloud, region);
  await ensureRegions(db, [seededRegion(region.name)]);
  await ensureServices(db, servicesOf(services));
  await ensureEndpoints(
    db,
    services.flatMap((service) => endpointsOf(cloud, region, service)),
  );
}

/**
 * Removes the seeded endpoints of a region that was closed while the cloud runs. The region is
 * removed from the catalog too, unless it was changed since, or an endpoint, a region below it, a
 * registered limit or a policy refers to it.
 */
export async function removeRegionFromCatalog(context: Context, name: string): Promise<void> {
  const { db, cloud } = context;
  const seeded = seededEndpointIds(cloud, name);
  const endpoints = await listEndpoints(db);
  for (const { id } of endpoints) if (seeded.has(id)) await deleteEndpoint(context, id);
  const region = await findRegion(db, name);
  if (!region || !isDeepStrictEqual(region, seededRegion(name))) return;
  const isReferredTo =
    endpoints.some((endpoint) => endpoint.regionId === name && !seeded.has(endpoint.id)) ||
    (await listRegions(db)).some((other) => other.parentId === name) ||
    (await listRegisteredLimits(db)).some((limit) => limit.regionId === name) ||
    (await hasAssociationsIn(db, name));
  if (!isReferredTo) await deleteRegion(db, name);
}

/** An entry of the catalog: a service, or a further name of one. */
interface ListedService {
  readonly id: string;
  /** What its endpoints' ids are made of. */
  readonly name: string;
  readonly type: string;
  readonly catalogName: string;
  readonly definition: ServiceDefinition;
}

/**
 * What the catalog lists of a card: nothing where it has no type. A card that speaks for another is
 * listed as that one.
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

/** The records of entries, each once. */
function servicesOf(entries: readonly ListedService[]): CatalogService[] {
  const records = entries.map(({ id, type, catalogName, definition }): [string, CatalogService] => [
    id,
    { id, type, enabled: true, extra: { name: catalogName, description: definition.description } },
  ]);
  return [...new Map(records).values()];
}

/** The names of services in the catalog: those of the OpenStack projects. */
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
      ? originMark
      : `${originMark}/${region.name}`;
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
