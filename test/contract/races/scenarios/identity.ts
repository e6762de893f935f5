// Concurrent writes of Identity.
import { made, type Scenario } from '../races.ts';

const at = (path: string): string => `/identity/v3/${path}`;

export const identityScenarios: readonly Scenario[] = [
  {
    name: 'a user, a project, a group and their roles',
    async setup(ask, name) {
      const project = await made(
        ask,
        ['POST', at('projects'), { project: { name: `p-${name}` } }],
        'project.id',
      );
      const user = await made(
        ask,
        ['POST', at('users'), { user: { name: `u-${name}` } }],
        'user.id',
      );
      const group = await made(
        ask,
        ['POST', at('groups'), { group: { name: `g-${name}` } }],
        'group.id',
      );
      const role = await made(
        ask,
        ['POST', at('roles'), { role: { name: `r-${name}` } }],
        'role.id',
      );
      const other = await made(
        ask,
        ['POST', at('roles'), { role: { name: `o-${name}` } }],
        'role.id',
      );
      await made(ask, ['PUT', at(`groups/${group}/users/${user}`)]);
      return { project, user, group, role, other };
    },
    writes: ({ project, user, group, role, other }, name) => ({
      'rename the user': ['PATCH', at(`users/${user}`), { user: { name: `renamed-${name}` } }],
      'set an attribute of the user': ['PATCH', at(`users/${user}`), { user: { mark: 'x' } }],
      'delete the user': ['DELETE', at(`users/${user}`)],
      'rename the project': [
        'PATCH',
        at(`projects/${project}`),
        { project: { name: `renamed-${name}` } },
      ],
      'add a tag to the project': ['PUT', at(`projects/${project}/tags/x`)],
      'add another tag': ['PUT', at(`projects/${project}/tags/y`)],
      'create a child': [
        'POST',
        at('projects'),
        { project: { name: `c-${name}`, parent_id: project } },
      ],
      'delete the project': ['DELETE', at(`projects/${project}`)],
      'delete the group': ['DELETE', at(`groups/${group}`)],
      'add the user to the group': ['PUT', at(`groups/${group}/users/${user}`)],
      'remove the user from the group': ['DELETE', at(`groups/${group}/users/${user}`)],
      'grant the role to the user': ['PUT', at(`projects/${project}/users/${user}/roles/${role}`)],
      'revoke the role of the user': [
        'DELETE',
        at(`projects/${project}/users/${user}/roles/${role}`),
      ],
      'grant the role to the group': [
        'PUT',
        at(`projects/${project}/groups/${group}/roles/${role}`),
      ],
      'make the role imply the other': ['PUT', at(`roles/${role}/implies/${other}`)],
      'make the other role imply the role': ['PUT', at(`roles/${other}/implies/${role}`)],
      'delete the role': ['DELETE', at(`roles/${role}`)],
      'create a credential': [
        'POST',
        at('credentials'),
        { credential: { user_id: user, project_id: project, type: 'x', blob: 'b' } },
      ],
    }),
    reads: ({ project, user, group, role }, name) => [
      at(`users/${user}`),
      at(`projects/${project}`),
      at(`projects?name=c-${name}`),
      at(`groups/${group}`),
      at(`groups/${group}/users`),
      at(`roles/${role}`),
      at(`roles/${role}/implies`),
      at(`role_assignments?scope.project.id=${project}`),
      at(`role_assignments?user.id=${user}`),
      at(`credentials?user_id=${user}`),
    ],
  },
  {
    name: 'a service, its endpoints and limits',
    async setup(ask, name) {
      const service = await made(
        ask,
        ['POST', at('services'), { service: { type: `t-${name}`, name } }],
        'service.id',
      );
      const region = await made(
        ask,
        ['POST', at('regions'), { region: { id: `region-${name}` } }],
        'region.id',
      );
      const domain = await made(
        ask,
        ['POST', at('domains'), { domain: { name: `d-${name}`, enabled: false } }],
        'domain.id',
      );
      const limit = [{ service_id: service, resource_name: 'a', default_limit: 5 }];
      const { body } = await ask('POST', at('registered_limits'), { registered_limits: limit });
      const registered = (body as { registered_limits: { id: string }[] }).registered_limits[0]!.id;
      return { service, region, domain, registered };
    },
    writes: ({ service, region, domain, registered }, name) => ({
      'create an endpoint': [
        'POST',
        at('endpoints'),
        {
          endpoint: {
            service_id: service,
            region_id: region,
            interface: 'public',
            url: 'http://a',
          },
        },
      ],
      'delete the service': ['DELETE', at(`services/${service}`)],
      'rename the service': [
        'PATCH',
        at(`services/${service}`),
        { service: { name: `renamed-${name}` } },
      ],
      'delete the region': ['DELETE', at(`regions/${region}`)],
      'create a child region': [
        'POST',
        at('regions'),
        { region: { id: `below-${name}`, parent_region_id: region } },
      ],
      'delete the domain': ['DELETE', at(`domains/${domain}`)],
      'create a user in the domain': [
        'POST',
        at('users'),
        { user: { name: `u-${name}`, domain_id: domain } },
      ],
      'create a group in the domain': [
        'POST',
        at('groups'),
        { group: { name: `g-${name}`, domain_id: domain } },
      ],
      'create a project in the domain': [
        'POST',
        at('projects'),
        { project: { name: `p-${name}`, domain_id: domain } },
      ],
      'enable the domain': ['PATCH', at(`domains/${domain}`), { domain: { enabled: true } }],
      'delete the registered limit': ['DELETE', at(`registered_limits/${registered}`)],
      'create a limit of the domain': [
        'POST',
        at('limits'),
        {
          limits: [
            { service_id: service, resource_name: 'a', resource_limit: 3, domain_id: domain },
          ],
        },
      ],
    }),
    reads: ({ service, region, domain, registered }, name) => [
      at(`services/${service}`),
      at(`endpoints?service_id=${service}`),
      at(`regions/${region}`),
      at(`regions/below-${name}`),
      at(`domains/${domain}`),
      at(`users?domain_id=${domain}`),
      at(`groups?domain_id=${domain}`),
      at(`projects?domain_id=${domain}`),
      at(`registered_limits/${registered}`),
      at(`limits?domain_id=${domain}`),
    ],
  },
];
