// Reads the catalog of a token: services, endpoints, and the endpoints that are associated with its
// project.
import { listEndpoints } from '../../store/catalog/endpoints.ts';
import { listServices } from '../../store/catalog/services.ts';
import type { CatalogService, Endpoint } from '../../model.ts';
import { endpointsForProject } from './endpoint-filters.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The user and the project that the URLs of a catalog are expanded for. */
export interface CatalogSubject {
  readonly userId: string;
  readonly projectId: string | undefined;
}

/** The records that a catalog consists of. */
export interface Catalog {
  readonly subject: CatalogSubject;
  readonly services: readonly CatalogService[];
  readonly endpoints: readonly Endpoint[];
  /** If not empty, only these endpoints are shown. */
  readonly projectEndpoints: readonly Endpoint[];
}

/** Reads the catalog for a user and a project. */
export async function readCatalog(db: Db, subject: CatalogSubject): Promise<Catalog> {
  const endpoints = await listEndpoints(db);
  const projectEndpoints =
    subject.projectId === undefined
      ? []
      : await endpointsForProject(db, subject.projectId, endpoints);
  return { subject, services: await listServices(db), endpoints, projectEndpoints };
}
