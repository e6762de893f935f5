// The tables of the catalog: regions, services and endpoints.
import type { CatalogRegion, CatalogService, Endpoint } from '../../domain/records.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface RegionRow {
  id: string;
  description: string;
  parent_region_id: string | null;
  extra: string;
}

interface ServiceRow {
  id: string;
  type: string;
  enabled: number;
  extra: string;
}

interface EndpointRow {
  id: string;
  service_id: string;
  interface: string;
  region_id: string | null;
  url: string;
  enabled: number;
  extra: string;
}

const regions = (db: Db) => db<RegionRow>('identity_regions');
const services = (db: Db) => db<ServiceRow>('identity_services');
const endpoints = (db: Db) => db<EndpointRow>('identity_endpoints');

const regionOf = (row: RegionRow): CatalogRegion => ({
  id: row.id,
  description: row.description,
  parentId: row.parent_region_id,
  extra: objectFrom(row.extra),
});
const regionRow = (region: CatalogRegion): RegionRow => ({
  id: region.id,
  description: region.description,
  parent_region_id: region.parentId,
  extra: toJson(region.extra),
});

const serviceOf = (row: ServiceRow): CatalogService => ({
  id: row.id,
  type: row.type,
  enabled: Boolean(row.enabled),
  extra: objectFrom(row.extra),
});
const serviceRow = (service: CatalogService): ServiceRow => ({
  id: service.id,
  type: service.type,
  enabled: Number(service.enabled),
  extra: toJson(service.extra),
});

const endpointOf = (row: EndpointRow): Endpoint => ({
  id: row.id,
  serviceId: row.service_id,
  interface: row.interface,
  regionId: row.region_id,
  url: row.url,
  enabled: Boolean(row.enabled),
  extra: objectFrom(row.extra),
});
const endpointRow = (endpoint: Endpoint): EndpointRow => ({
  id: endpoint.id,
  service_id: endpoint.serviceId,
  interface: endpoint.interface,
  region_id: endpoint.regionId,
  url: endpoint.url,
  enabled: Number(endpoint.enabled),
  extra: toJson(endpoint.extra),
});

/** @throws the driver's error of `isDuplicate` where the id is taken */
export async function insertRegion(db: Db, region: CatalogRegion): Promise<void> {
  await regions(db).insert(regionRow(region));
}

export async function ensureRegions(db: Db, all: readonly CatalogRegion[]): Promise<void> {
  if (all.length) await regions(db).insert(all.map(regionRow)).onConflict('id').ignore();
}

export async function updateRegion(db: Db, region: CatalogRegion): Promise<void> {
  await regions(db).where({ id: region.id }).update(regionRow(region));
}

export async function deleteRegion(db: Db, id: string): Promise<void> {
  await regions(db).where({ id }).delete();
}

export async function findRegion(db: Db, id: string): Promise<CatalogRegion | undefined> {
  const row = await regions(db).where({ id }).first();
  return row && regionOf(row);
}

export async function listRegions(db: Db): Promise<CatalogRegion[]> {
  return (await regions(db).orderBy('id')).map((row) => regionOf(row));
}

export async function insertService(db: Db, service: CatalogService): Promise<void> {
  await services(db).insert(serviceRow(service));
}

export async function ensureServices(db: Db, all: readonly CatalogService[]): Promise<void> {
  if (all.length) await services(db).insert(all.map(serviceRow)).onConflict('id').ignore();
}

export async function updateService(db: Db, service: CatalogService): Promise<void> {
  await services(db).where({ id: service.id }).update(serviceRow(service));
}

/** Deletes the service with its endpoints. */
export async function deleteService(db: Db, id: string): Promise<void> {
  await services(db).where({ id }).delete();
}

export async function findService(db: Db, id: string): Promise<CatalogService | undefined> {
  const row = await services(db).where({ id }).first();
  return row && serviceOf(row);
}

export async function listServices(db: Db): Promise<CatalogService[]> {
  return (await services(db).orderBy(['type', 'id'])).map((row) => serviceOf(row));
}

export async function insertEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await endpoints(db).insert(endpointRow(endpoint));
}

export async function ensureEndpoints(db: Db, all: readonly Endpoint[]): Promise<void> {
  if (all.length) await endpoints(db).insert(all.map(endpointRow)).onConflict('id').ignore();
}

export async function updateEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await endpoints(db).where({ id: endpoint.id }).update(endpointRow(endpoint));
}

export async function deleteEndpoint(db: Db, id: string): Promise<void> {
  await endpoints(db).where({ id }).delete();
}

export async function findEndpoint(db: Db, id: string): Promise<Endpoint | undefined> {
  const row = await endpoints(db).where({ id }).first();
  return row && endpointOf(row);
}

export async function listEndpoints(db: Db): Promise<Endpoint[]> {
  return (await endpoints(db).orderBy(['service_id', 'region_id', 'interface', 'id'])).map((row) => endpointOf(row));
}
