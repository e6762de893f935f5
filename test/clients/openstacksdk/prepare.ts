// Prepares a cloud like DevStack's, and the clouds.yaml that DevStack writes, for the tests of
// openstacksdk.
import { stringify } from 'yaml';
import { networkNamed, signIn, type Ask, type Named } from '../suites/administrator.ts';
import type { Configuration } from '../suites/declare.ts';

/** Creates the users and roles of the clouds. @returns the configuration of the suite */
export async function prepare(origin: string): Promise<Configuration> {
  const ask = await signIn(origin);
  await asDevstack(ask);
  const { project } = await ask<{ project: Named }>('POST', '/identity/v3/projects', {
    project: { name: 'alt_demo' },
  });
  const user = { name: 'alt_demo', password: 'secret', default_project_id: project.id };
  await ask('POST', '/identity/v3/users', { user });
  await giveRole(ask, 'alt_demo', 'alt_demo', 'member');
  const environment = {
    OS_CLIENT_CONFIG_FILE: '${folder}/clouds.yaml',
    OS_CLOUD: 'devstack-admin',
    OPENSTACKSDK_DEMO_CLOUD: 'devstack',
    OPENSTACKSDK_DEMO_CLOUD_ALT: 'devstack-alt',
    OPENSTACKSDK_OPERATOR_CLOUD: 'devstack-admin',
    OPENSTACKSDK_SYSTEM_ADMIN_CLOUD: 'devstack-system-admin',
    // Use a long timeout for requests on a busy machine, but a short one for waiting on resources:
    // the emulator creates them at once or not at all.
    OS_TEST_TIMEOUT: '600',
    OPENSTACKSDK_FUNC_TEST_TIMEOUT: '60',
    OS_LOG_CAPTURE: '1',
  };
  // A test uploads this file from its working directory.
  return {
    files: { 'clouds.yaml': clouds(origin), 'CONTRIBUTING.rst': 'How to contribute' },
    environment,
  };
}

/**
 * Deletes flavors and networks that DevStack creates only if it configures tempest: the tests
 * expect not to find them.
 */
async function asDevstack(ask: Ask): Promise<void> {
  const { flavors } = await ask<{ flavors: Named[] }>('GET', '/compute/v2.1/flavors');
  for (const { id, name } of flavors)
    if (['m1.nano', 'm1.micro'].includes(name)) await ask('DELETE', `/compute/v2.1/flavors/${id}`);
  const shared = await networkNamed(ask, 'shared');
  if (shared) await ask('DELETE', `/network/v2.0/networks/${shared.id}`);
}

async function giveRole(ask: Ask, user: string, project: string, role: string): Promise<void> {
  const idOf = async (kind: string, name: string): Promise<string> =>
    (await ask<Record<string, Named[]>>('GET', `/identity/v3/${kind}?name=${name}`))[kind]![0]!.id;
  const [users, projects, roles] = [
    await idOf('users', user),
    await idOf('projects', project),
    await idOf('roles', role),
  ];
  await ask('PUT', `/identity/v3/projects/${projects}/users/${users}/roles/${roles}`);
}

function clouds(origin: string): string {
  const cloud = (username: string, scope: object): object => ({
    auth: {
      auth_url: `${origin}/identity/v3`,
      username,
      password: 'secret',
      user_domain_id: 'default',
      ...scope,
    },
    region_name: 'RegionOne',
    identity_api_version: '3',
    volume_api_version: '3',
    block_storage_api_version: '3',
  });
  const inProject = (project_name: string): object => ({
    project_name,
    project_domain_id: 'default',
  });
  return stringify({
    clouds: {
      devstack: cloud('demo', inProject('demo')),
      'devstack-alt': cloud('alt_demo', inProject('alt_demo')),
      'devstack-admin': cloud('admin', inProject('admin')),
      'devstack-system-admin': cloud('admin', { system_scope: 'all' }),
    },
  });
}
