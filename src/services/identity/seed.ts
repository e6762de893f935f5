// What a new cloud starts with: someone to sign in as, and a catalog of the services that there are.
import { idFor } from '../../kernel/ids.ts';
import { bumpAuthRevision } from '../../kernel/db/state.ts';
import { hashPassword, passwordMatches } from './domain/identity/passwords.ts';
import type { Assignment, CatalogService, Endpoint, Project, Role, User } from './domain/records.ts';
import { ensureAssignments } from './store/assignment/assignments.ts';
import { ensureEndpoints, ensureRegions, ensureServices, listRegions, listServices } from './store/catalog/catalog.ts';
import { ensureProjects, findProject } from './store/resource/projects.ts';
import { ensureImplications, ensureRoles } from './store/assignment/roles.ts';
import { ensureTokenKey, readSecret, writeSecret } from './store/auth/tokens.ts';
import { ensureUsers } from './store/identity/users.ts';
import { originMark } from './views/catalog/catalog.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Work, Card } from '../../kernel/model.ts';

export const defaultDomainId = 'default';

/** Ids that are the same in every cloud, so that what a client has noted down is still right after a reset. */
export const seededId = (kind: 'project' | 'user' | 'role' | 'service', name: string): string =>
  idFor(`identity.${kind}.${name}`);

/** Fills a new cloud; in one that is there already, adds only regions and services that it does not know. */
export async function seedIdentity({ cloud, db }: Work): Promise<void> {
  await ensureTokenKey(db);
  if (!(await findProject(db, defaultDomainId))) await seedPeople(db, await passwordHash(db, cloud));
  await seedCatalog(
    db,
    [...cloud.regions.keys()],
    cloud.services.map(({ card }) => card),
  );
  await bumpAuthRevision(db);
}

async function seedPeople(db: Db, hash: string): Promise<void> {
  await ensureProjects(db, [domainNamed('Default', defaultDomainId)]);
  await ensureProjects(db, ['admin', 'demo', 'service'].map(projectNamed));
  await ensureUsers(db, [userNamed('admin', hash), userNamed('demo', hash)]);
  await ensureRoles(db, ['admin', 'manager', 'member', 'reader', 'service'].map(roleNamed));
  const steps = [['admin', 'manager'], ['manager', 'member'], ['member', 'reader']] as const; // prettier-ignore
  await ensureImplications(
    db,
    steps.map(([prior, implied]) => ({ priorId: seededId('role', prior), impliedId: seededId('role', implied) })),
  );
  await ensureAssignments(db, [
    assigned('admin', 'admin', 'project', seededId('project', 'admin')),
    assigned('admin', 'admin', 'project', seededId('project', 'demo')),
    assigned('admin', 'admin', 'system', 'system'),
    assigned('demo', 'member', 'project', seededId('project', 'demo')),
  ]);
}

const common = { enabled: true, tags: [], options: {}, extra: {}, tokenEpoch: 0 };

const domainNamed = (name: string, id: string): Project => ({
  ...common,
  id,
  name,
  domainId: null,
  parentId: null,
  isDomain: true,
  description: 'The default domain',
});

const projectNamed = (name: string): Project => ({
  ...common,
  id: seededId('project', name),
  name,
  domainId: defaultDomainId,
  parentId: defaultDomainId,
  isDomain: false,
  description: '',
});

const userNamed = (name: string, hash: string): User => ({
  id: seededId('user', name),
  name,
  domainId: defaultDomainId,
  enabled: true,
  defaultProjectId: null,
  passwordHash: hash,
  options: {},
  extra: {},
  tokenEpoch: 0,
});

const roleNamed = (name: string): Role => ({
  id: seededId('role', name),
  name,
  domainId: null,
  description: null,
  options: {},
  extra: {},
});

const assigned = (user: string, role: string, targetType: Assignment['targetType'], targetId: string): Assignment => ({
  actorType: 'user',
  actorId: seededId('user', user),
  targetType,
  targetId,
  roleId: seededId('role', role),
  inherited: false,
});

/**
 * The hash of the password of a new cloud. Hashing takes longer than all the rest of a reset, so the hash is kept beside the key
 * for tokens, under the name of this opening of the cloud: whoever opens it anew may have been given another password.
 */
async function passwordHash(db: Db, cloud: Work['cloud']): Promise<string> {
  const opening = `${process.pid}.${cloud.openedAt}`;
  const secret = 'identity.seed_password';
  const kept = JSON.parse((await readSecret(db, secret)) ?? '{}') as { opening?: string; hash?: string };
  const { adminPassword } = cloud.config;
  if (kept.hash !== undefined && kept.opening === opening) return kept.hash;
  const same = kept.hash !== undefined && (await passwordMatches(kept.hash, adminPassword));
  const hash = same ? kept.hash! : await hashPassword(adminPassword);
  await writeSecret(db, secret, JSON.stringify({ opening, hash }));
  return hash;
}

/** Lists the services in each region that is new, and the new services in all regions. What was deleted stays deleted. */
async function seedCatalog(db: Db, regions: readonly string[], cards: readonly Card[]): Promise<void> {
  const listed = cards.filter((card) => card.type !== undefined);
  const knownRegions = new Set((await listRegions(db)).map((region) => region.id));
  const knownServices = new Set((await listServices(db)).map((service) => service.id));
  const isNew = (region: string, card: Card): boolean =>
    !knownRegions.has(region) || !knownServices.has(seededId('service', card.name));
  await ensureRegions(
    db,
    regions.filter((id) => !knownRegions.has(id)).map((id) => ({ id, description: '', parentId: null, extra: {} })),
  );
  await ensureServices(db, listed.filter((card) => !knownServices.has(seededId('service', card.name))).map(serviceOf));
  const pairs = regions.flatMap((region) => listed.filter((card) => isNew(region, card)).map((card) => ({ region, card })));
  await ensureEndpoints(
    db,
    pairs.flatMap(({ region, card }) => endpointsOf(region, regions[0]!, card)),
  );
}

const serviceOf = (card: Card): CatalogService => ({
  id: seededId('service', card.name),
  type: card.type!,
  enabled: true,
  extra: { name: serviceName(card), description: card.description },
});

/** Services go by the names of the projects that they stand for. */
const serviceName = (card: Card): string => projectNames[card.name] ?? card.name;

const projectNames: Readonly<Record<string, string>> = {
  identity: 'keystone',
  compute: 'nova',
  image: 'glance',
  network: 'neutron',
  volume: 'cinder',
  reservation: 'blazar',
  clustering: 'senlin',
};

function endpointsOf(region: string, first: string, card: Card): Endpoint[] {
  const base = region === first || card.home === 'central' ? originMark : `${originMark}/${region}`;
  return ['public', 'internal', 'admin'].map((face) => ({
    id: idFor(`identity.endpoint.${region}.${card.name}.${face}`),
    serviceId: seededId('service', card.name),
    interface: face,
    regionId: region,
    url: `${base}${card.prefix}${card.catalogPath ?? ''}`,
    enabled: true,
    extra: {},
  }));
}
