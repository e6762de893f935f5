// The catalog that a cloud starts with: its services, with endpoints in each region. It follows regions that come and go.
import { isDeepStrictEqual } from 'node:util';
import { idFor } from '../../../../kernel/ids.ts';
import { ensureEndpoints, listEndpoints } from '../../store/catalog/endpoints.ts';
import { deleteRegion, ensureRegions, findRegion, listRegions } from '../../store/catalog/regions.ts';
import { ensureServices, listServices } from '../../store/catalog/services.ts';
import { listRegisteredLimits } from '../../store/limit/limits.ts';
import { hasAssociationsIn } from '../../store/policy/policies.ts';
import type { CatalogRegion, CatalogService, Endpoint } from '../records.ts';
import { seededId } from '../seeded-ids.ts';
import { deleteEndpoint } from './endpoints.ts';
import { originMark } from './origin.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Card, Cloud, Work } from '../../../../kernel/model.ts';

/** Lists the services in each new region, and the new services in all regions. Endpoints that were deleted are not listed again. */
export async function seedCatalog(db: Db, cloud: Cloud): Promise<void> {
  const regions = [...cloud.regions.keys()];
  const services = listedServices(cloud);
  const knownRegions = new Set((await listRegions(db)).map((region) => region.id));
  const knownServices = new Set((await listServices(db)).map((service) => service.id));
  const unlisted = await reopenedRegions(db, cloud, knownRegions);
  const isNew = (region: string, { id }: ListedService): boolean =>
    !knownRegions.has(region) || unlisted.has(region) || !knownServices.has(id);
  await ensureRegions(db, regions.filter((id) => !knownRegions.has(id)).map(seededRegion)); // prettier-ignore
  await ensureServices(db, services.filter(({ id }) => !knownServices.has(id)).map(serviceOf));
  const endpoints = regions.flatMap((region) =>
    services.filter((service) => isNew(region, service)).flatMap((service) => endpointsOf(region, regions[0]!, service)),
  );
  await ensureEndpoints(db, endpoints);
}

/**
 * Removes the seeded endpoints of a region that was closed while the cloud runs. The region is removed from the catalog too, unless
 * it was changed since, or an endpoint, a region below it, a registered limit or a policy refers to it.
 */
export async function removeRegionFromCatalog(work: Work, name: string): Promise<void> {
  const { db, cloud } = work;
  const seeded = seededEndpointIds(cloud, name);
  const endpoints = await listEndpoints(db);
  for (const { id } of endpoints) if (seeded.has(id)) await deleteEndpoint(work, id);
  const region = await findRegion(db, name);
  if (!region || !isDeepStrictEqual(region, seededRegion(name))) return;
  const isReferredTo =
    endpoints.some((endpoint) => endpoint.regionId === name && !seeded.has(endpoint.id)) ||
    (await listRegions(db)).some((other) => other.parentId === name) ||
    (await listRegisteredLimits(db)).some((limit) => limit.regionId === name) ||
    (await hasAssociationsIn(db, name));
  if (!isReferredTo) await deleteRegion(db, name);
}

/** The regions opened while the cloud runs that the catalog knows without seeded endpoints: `removeRegionFromCatalog` has left them. */
async function reopenedRegions(db: Db, cloud: Cloud, knownRegions: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const opened = [...cloud.regions.keys()].filter((name) => knownRegions.has(name) && !cloud.config.regions.includes(name));
  if (!opened.length) return new Set();
  const ids = (await listEndpoints(db)).map((endpoint) => endpoint.id);
  const isListed = (name: string): boolean => {
    const seeded = seededEndpointIds(cloud, name);
    return ids.some((id) => seeded.has(id));
  };
  return new Set(opened.filter((name) => !isListed(name)));
}

/** An entry of the catalog: a service, or a further name of one. */
interface ListedService {
  readonly id: string;
  /** What its endpoints' ids are made of. */
  readonly name: string;
  readonly type: string;
  readonly catalogName: string;
  readonly card: Card;
}

/** What the catalog lists of a card: nothing where it has no type. */
function entriesOf(card: Card): ListedService[] {
  const { type, name, aliases = [] } = card;
  if (type === undefined) return [];
  const further = aliases.map((alias) => ({ ...alias, name: `${name}.${alias.name}`, catalogName: alias.name }));
  return [{ type, name, catalogName: projectNames[name] ?? name }, ...further].map((entry) => ({
    ...entry,
    id: seededId('service', entry.name),
    card,
  }));
}

const listedServices = ({ services }: Cloud): ListedService[] => services.flatMap(({ card }) => entriesOf(card));

const seededEndpointIds = (cloud: Cloud, region: string): ReadonlySet<string> =>
  new Set(listedServices(cloud).flatMap((service) => interfaces.map((face) => endpointId(region, service, face))));

const seededRegion = (id: string): CatalogRegion => ({ id, description: '', parentId: null, extra: {} });

const serviceOf = ({ id, type, catalogName, card }: ListedService): CatalogService => ({
  id,
  type,
  enabled: true,
  extra: { name: catalogName, description: card.description },
});

/** The names of services in the catalog: those of the OpenStack projects. */
const projectNames: Readonly<Record<string, string>> = {
  identity: 'keystone',
  compute: 'nova',
  image: 'glance',
  network: 'neutron',
  volume: 'cinderv3',
  reservation: 'blazar',
  clustering: 'senlin',
};

const interfaces = ['public', 'internal', 'admin'];

const endpointId = (region: string, { name }: ListedService, face: string): string =>
  idFor(`identity.endpoint.${region}.${name}.${face}`);

function endpointsOf(region: string, firstRegion: string, service: ListedService): Endpoint[] {
  const { card } = service;
  const base = region === firstRegion || card.home === 'central' ? originMark : `${originMark}/${region}`;
  return interfaces.map((face) => ({
    id: endpointId(region, service, face),
    serviceId: service.id,
    interface: face,
    regionId: region,
    url: `${base}${card.prefix}${card.catalogPath ?? ''}`,
    enabled: true,
    extra: {},
  }));
}
