// Seeds a new cloud with users, projects and roles to sign in with, and with a catalog of its
// services.
import { pipelined } from '../../kernel/db/pipelined.ts';
import { bumpAuthRevision } from '../../kernel/db/state.ts';
import { seedCatalog } from './domain/catalog/seeded-catalog.ts';
import { seedPasswordHash } from './domain/identity/seeded-passwords.ts';
import type { Assignment, Project, Role, User } from './model.ts';
import { blankUser } from './domain/identity/blank-user.ts';
import { defaultDomainId, seededId } from './domain/seeded-ids.ts';
import { ensureAssignments } from './store/assignment/assignments.ts';
import { ensureProjects, findProject, findProjects } from './store/resource/projects.ts';
import { ensureImplications, ensureRoles } from './store/assignment/roles.ts';
import { ensureTokenKey, listSecrets, readSecret, writeSecret } from './store/auth/tokens.ts';
import { ensureEncryption } from './store/credential/credentials.ts';
import { ensureUsers, findUsers } from './store/identity/users.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Context } from '../../kernel/model.ts';

/**
 * Seeds a new cloud. An existing cloud gets only the regions and services that its catalog lacks.
 */
export async function seedIdentity({ cloud, db, now }: Context): Promise<void> {
  await ensureTokenKey(db);
  await ensureEncryption(db, now);
  if (!(await findProject(db, defaultDomainId)))
    await seedAccounts(db, await seedPasswordHash(db, cloud));
  await seedCatalog(db, cloud);
  await bumpAuthRevision(db);
}

const epochsName = 'identity.token_epochs';

/** The users and projects that every reset creates again, in the default domain. */
const seededUsers = ['admin', 'demo'];
const seededProjects = ['admin', 'demo', 'service'];

/**
 * Saves the epochs that the tokens of the seeded users depend on. They show which tokens have
 * ended, because a password was changed or because a user, project or domain was disabled or
 * deleted. A reset seeds the same epochs, so that these tokens stay invalid.
 */
export async function saveEpochs({ db }: Context): Promise<void> {
  const projects = [defaultDomainId, ...seededProjects.map((name) => seededId('project', name))];
  const users = seededUsers.map((name) => seededId('user', name));
  const [before, foundProjects, foundUsers] = await pipelined([
    readEpochs(db),
    findProjects(db, projects),
    findUsers(db, users),
  ]);
  const found = [...foundProjects, ...foundUsers];
  const current = new Map(found.map(({ id, tokenEpoch }) => [id, tokenEpoch]));
  const epochs = [...projects, ...users].map((id) => [
    id,
    current.get(id) ?? (before[id] ?? 0) + 1,
  ]);
  await writeSecret(db, epochsName, JSON.stringify(Object.fromEntries(epochs)));
}

type Epochs = Readonly<Record<string, number>>;

const readEpochs = async (db: Db): Promise<Epochs> =>
  JSON.parse((await readSecret(db, epochsName)) ?? '{}') as Epochs;

/** What the seed reads: the epochs, and which keys exist. */
export async function readSeedInputs({ db }: Context): Promise<unknown> {
  const secrets = await listSecrets(db);
  const epochs = secrets.find(({ name }) => name === epochsName)?.value;
  return [epochs, secrets.map(({ name }) => name)];
}

async function seedAccounts(db: Db, hash: string): Promise<void> {
  const epochs = await readEpochs(db);
  const withEpoch = <T extends { readonly id: string }>(record: T): T => ({
    ...record,
    tokenEpoch: epochs[record.id] ?? 0,
  });
  await ensureProjects(db, [withEpoch(domainNamed('Default', defaultDomainId))]);
  await ensureProjects(
    db,
    seededProjects.map((name) => withEpoch(projectNamed(name))),
  );
  await ensureUsers(
    db,
    seededUsers.map((name) => withEpoch(userNamed(name, hash))),
  );
  await ensureRoles(db, ['admin', 'manager', 'member', 'reader', 'service'].map(roleNamed));
  const implications = [
    ['admin', 'manager'],
    ['manager', 'member'],
    ['member', 'reader'],
  ] as const;
  await ensureImplications(
    db,
    implications.map(([prior, implied]) => ({
      priorId: seededId('role', prior),
      impliedId: seededId('role', implied),
    })),
  );
  await ensureAssignments(db, [
    assigned('admin', 'admin', 'project', seededId('project', 'admin')),
    assigned('admin', 'admin', 'project', seededId('project', 'demo')),
    // DevStack adds the role on the domain after the bootstrap.
    assigned('admin', 'admin', 'domain', defaultDomainId),
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
  ...blankUser,
  id: seededId('user', name),
  name,
  domainId: defaultDomainId,
  passwordHash: hash,
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
