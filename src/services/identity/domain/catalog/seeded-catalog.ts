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
  const cards = listedCards(cloud);
  const knownRegions = new Set((await listRegions(db)).map((region) => region.id));
  const knownServices = new Set((await listServices(db)).map((service) => service.id));
  const unlisted = await reopenedRegions(db, cloud, knownRegions);
  const isNew = (region: string, card: Card): boolean =>
    !knownRegions.has(region) || unlisted.has(region) || !knownServices.has(seededId('service', card.name));
  await ensureRegions(db, regions.filter((id) => !knownRegions.has(id)).map(seededRegion)); // prettier-ignore
  await ensureServices(db, cards.filter((card) => !knownServices.has(seededId('service', card.name))).map(serviceOf));
  const endpoints = regions.flatMap((region) =>
    cards.filter((card) => isNew(region, card)).flatMap((card) => endpointsOf(region, regions[0]!, card)),
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

const listedCards = ({ services }: Cloud): Card[] => services.map(({ card }) => card).filter(({ type }) => type !== undefined);

const seededEndpointIds = (cloud: Cloud, region: string): ReadonlySet<string> =>
  new Set(listedCards(cloud).flatMap((card) => interfaces.map((name) => endpointId(region, card, name))));

const seededRegion = (id: string): CatalogRegion => ({ id, description: '', parentId: null, extra: {} });

const serviceOf = (card: Card): CatalogService => ({
  id: seededId('service', card.name),
  type: card.type!,
  enabled: true,
  extra: { name: projectNames[card.name] ?? card.name, description: card.description },
});

/** The names of services in the catalog: those of the OpenStack projects. */
const projectNames: Readonly<Record<string, string>> = {
  identity: 'keystone',
  compute: 'nova',
  image: 'glance',
  network: 'neutron',
  volume: 'cinder',
  reservation: 'blazar',
  clustering: 'senlin',
};

const interfaces = ['public', 'internal', 'admin'];

const endpointId = (region: string, { name }: Card, face: string): string => idFor(`identity.endpoint.${region}.${name}.${face}`);

function endpointsOf(region: string, firstRegion: string, card: Card): Endpoint[] {
  const base = region === firstRegion || card.home === 'central' ? originMark : `${originMark}/${region}`;
  return interfaces.map((face) => ({
    id: endpointId(region, card, face),
    serviceId: seededId('service', card.name),
    interface: face,
    regionId: region,
    url: `${base}${card.prefix}${card.catalogPath ?? ''}`,
    enabled: true,
    extra: {},
  }));
}
