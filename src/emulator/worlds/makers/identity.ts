// Makes roles, projects, users, groups and registered limits.
import { each, given, named, type CloudMaker } from './model.ts';
import { idIn, type Json, type WorldClient } from '../client.ts';
import type { GroupEntry, ProjectEntry, UserEntry } from '../model.ts';

const root = '/identity/v3';

/** Gives an actor, such as `users/ID`, roles in projects. */
async function grant(
  client: WorldClient,
  actor: string,
  roles: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (const [project, names] of Object.entries(roles)) {
    const projectId = await client.projectId(project);
    for (const name of names) {
      const role = await client.identityId('roles', name);
      await client.ask('PUT', `${root}/projects/${projectId}/${actor}/roles/${role}`);
    }
  }
}

const existing = async (
  client: WorldClient,
  kind: 'users' | 'groups' | 'roles' | 'projects',
  name: string,
): Promise<Json | undefined> => {
  const path = `${root}/${kind}?name=${encodeURIComponent(name)}`;
  return ((await client.ask('GET', path))[kind] as readonly Json[])[0];
};

const roles: CloudMaker = {
  section: 'roles',
  make: (client, world, at) =>
    each(world.roles ?? [], at, async (name) => {
      if (await existing(client, 'roles', name)) return;
      await client.ask('POST', `${root}/roles`, { body: { role: { name } } });
    }),
};

const impliedRoles: CloudMaker = {
  section: 'implied_roles',
  make: async (client, { implied_roles: implied = {} }, at) => {
    for (const [prior, names] of Object.entries(implied))
      await at([prior], async () => {
        const from = await client.identityId('roles', prior);
        for (const name of names) {
          const to = await client.identityId('roles', name);
          await client.ask('PUT', `${root}/roles/${from}/implies/${to}`);
        }
      });
    return Object.keys(implied).length;
  },
};

const projects: CloudMaker = {
  section: 'projects',
  make: (client, world, at) =>
    each(world.projects ?? [], at, async (entry) => {
      const { name, description, parent, tags } = named<ProjectEntry>(entry);
      const found = await existing(client, 'projects', name);
      const project = given({
        name,
        description,
        tags,
        domain_id: found ? undefined : 'default',
        parent_id: parent === undefined ? undefined : await client.projectId(parent),
      });
      if (found)
        await client.ask('PATCH', `${root}/projects/${String(found['id'])}`, { body: { project } });
      else await client.ask('POST', `${root}/projects`, { body: { project } });
    }),
};

/** @param defaultPassword that of users without one */
const usersWith = (defaultPassword: string): CloudMaker => ({
  section: 'users',
  make: (client, world, at) =>
    each(world.users ?? [], at, async (entry) => {
      const one = named<UserEntry>(entry);
      const { name, email, project } = one;
      const found = await existing(client, 'users', name);
      const user = given({
        name,
        email,
        password: one.password ?? (found ? undefined : defaultPassword),
        domain_id: found ? undefined : 'default',
        default_project_id: project === undefined ? undefined : await client.projectId(project),
      });
      const made = found
        ? await client.ask('PATCH', `${root}/users/${String(found['id'])}`, { body: { user } })
        : await client.ask('POST', `${root}/users`, { body: { user } });
      const actor = `users/${idIn(made, 'user')}`;
      const usual = project === undefined ? {} : { [project]: ['member'] };
      await grant(client, actor, { ...usual, ...one.roles });
      for (const [target, names] of [
        ['system', one.system_roles],
        ['domains/default', one.domain_roles],
      ] as const)
        for (const role of names ?? []) {
          const roleId = await client.identityId('roles', role);
          await client.ask('PUT', `${root}/${target}/${actor}/roles/${roleId}`);
        }
    }),
});

const groups: CloudMaker = {
  section: 'groups',
  make: (client, world, at) =>
    each(world.groups ?? [], at, async (entry) => {
      const { name, description, users = [], roles: granted = {} } = named<GroupEntry>(entry);
      const group = given({ name, description, domain_id: 'default' });
      const id = idIn(await client.ask('POST', `${root}/groups`, { body: { group } }), 'group');
      for (const user of users) {
        const userId = await client.identityId('users', user);
        await client.ask('PUT', `${root}/groups/${id}/users/${userId}`);
      }
      await grant(client, `groups/${id}`, granted);
    }),
};

const registeredLimits: CloudMaker = {
  section: 'registered_limits',
  make: async (client, { registered_limits: limits = [] }, at) => {
    const { services } = (await client.ask('GET', `${root}/services`)) as { services: Json[] };
    return each(limits, at, async ({ service, resource, limit, region }) => {
      const id = services.find((one) => one['name'] === service || one['type'] === service)?.['id'];
      const fields = given({
        service_id: id ?? service,
        region_id: region,
        resource_name: resource,
        default_limit: limit,
      });
      await client.ask('POST', `${root}/registered_limits`, {
        body: { registered_limits: [fields] },
      });
    });
  },
};

/** The makers of Identity, in order. */
export const identityMakers = (defaultPassword: string): readonly CloudMaker[] => [
  roles,
  impliedRoles,
  projects,
  usersWith(defaultPassword),
  groups,
  registeredLimits,
];
