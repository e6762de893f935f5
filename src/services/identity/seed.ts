// What a new cloud starts with: users, projects and roles to sign in with, and a catalog of its
// services.
import { bumpAuthRevision } from '../../kernel/db/state.ts';
import { seedCatalog } from './domain/catalog/seeded-catalog.ts';
import { hashPassword, passwordMatches } from './domain/identity/passwords.ts';
import type { Assignment, Project, Role, User } from './model.ts';
import { defaultDomainId, seededId } from './domain/seeded-ids.ts';
import { ensureAssignments } from './store/assignment/assignments.ts';
import { ensureProjects, findProject } from './store/resource/projects.ts';
import { ensureImplications, ensureRoles } from './store/assignment/roles.ts';
import { ensureTokenKey, readSecret, writeSecret } from './store/auth/tokens.ts';
import { ensureEncryption } from './store/credential/credentials.ts';
import { ensureUsers, findUser } from './store/identity/users.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Cloud, Context } from '../../kernel/model.ts';

/**
 * Fills a new cloud. An existing one gets only the regions and services that its catalog does not
 * have.
 */
export async function seedIdentity({ cloud, db, now }: Context): Promise<void> {
  await ensureTokenKey(db);
  await ensureEncryption(db, now);
  if (!(await findProject(db, defaultDomainId)))
    await seedAccounts(db, await passwordHash(db, cloud));
  await seedCatalog(db, cloud);
  await bumpAuthRevision(db);
}

const epochsName = 'identity.token_epochs';

/** The first users, projects and the domain, which every reset makes again. */
const seededUsers = ['admin', 'demo'];
const seededProjects = ['admin', 'demo', 'service'];

/**
 * Writes down which tokens of the first users have been ended by a changed password, or because
 * someone was disabled or deleted: the epochs of what their tokens depend on. After a reset they
 * begin there, so that those that were ended stay so.
 */
export async function rememberEpochs({ db }: Context): Promise<void> {
  const before = await readEpochs(db);
  const found = async (
    id: string,
    one: Promise<{ readonly tokenEpoch: number } | undefined>,
  ): Promise<[string, number]> => [id, (await one)?.tokenEpoch ?? (before[id] ?? 0) + 1];
  const epochs: [string, number][] = [
    await found(defaultDomainId, findProject(db, defaultDomainId)),
  ];
  for (const id of seededProjects.map((name) => seededId('project', name)))
    epochs.push(await found(id, findProject(db, id)));
  for (const id of seededUsers.map((name) => seededId('user', name)))
    epochs.push(await found(id, findUser(db, id)));
  await writeSecret(db, epochsName, JSON.stringify(Object.fromEntries(epochs)));
}

type Epochs = Readonly<Record<string, number>>;

const readEpochs = async (db: Db): Promise<Epochs> =>
  JSON.parse((await readSecret(db, epochsName)) ?? '{}') as Epochs;

async function seedAccounts(db: Db, hash: string): Promise<void> {
  const epochs = await readEpochs(db);
  const since = <T extends { readonly id: string }>(one: T): T => ({
    ...one,
    tokenEpoch: epochs[one.id] ?? 0,
  });
  await ensureProjects(db, [since(domainNamed('Default', defaultDomainId))]);
  await ensureProjects(
    db,
    seededProjects.map((name) => since(projectNamed(name))),
  );
  await ensureUsers(
    db,
    seededUsers.map((name) => since(userNamed(name, hash))),
  );
  await ensureRoles(db, ['admin', 'manager', 'member', 'reader', 'service'].map(roleNamed));
  const steps = [
    ['admin', 'manager'],
    ['manager', 'member'],
    ['member', 'reader'],
  ] as const;
  await ensureImplications(
    db,
    steps.map(([prior, implied]) => ({
      priorId: seededId('role', prior),
      impliedId: seededId('role', implied),
    })),
  );
  await ensureAssignments(db, [
    assigned('admin', 'admin', 'project', seededId('project', 'admin')),
    assigned('admin', 'admin', 'project', seededId('project', 'demo')),
    assigned('admin', 'admin', 'domain', defaultDomainId), // as DevStack does after the bootstrap
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

const assigned = (
  user: string,
  role: string,
  targetType: Assignment['targetType'],
  targetId: string,
): Assignment => ({
  actorType: 'user',
  actorId: seededId('user', user),
  targetType,
  targetId,
  roleId: seededId('role', role),
  inherited: false,
});

/**
 * The hash of the password in the configuration. Hashing takes longer than all the rest of a reset,
 * so the hash is stored beside the key for tokens, with the process that has opened the cloud:
 * another process may be configured with another password.
 */
async function passwordHash(db: Db, cloud: Cloud): Promise<string> {
  const opening = `${process.pid}.${cloud.openedAt}`;
  const secret = 'identity.seed_password';
  const stored = JSON.parse((await readSecret(db, secret)) ?? '{}') as {
    opening?: string;
    hash?: string;
  };
  const { adminPassword } = cloud.config;
  if (stored.hash !== undefined && stored.opening === opening) return stored.hash;
  const same = stored.hash !== undefined && (await passwordMatches(stored.hash, adminPassword));
  const hash = same ? stored.hash! : await hashPassword(adminPassword);
  await writeSecret(db, secret, JSON.stringify({ opening, hash }));
  return hash;
}
