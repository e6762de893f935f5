// Concurrent writes of Identity.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/identity/v3/${path}`;

export const identityScenarios: readonly Scenario[] = [
  {
    name: 'a user, a project, a group and their roles',
    async setup(send, name) {
      const project = await mustSucceed(
        send,
        ['POST', at('projects'), { project: { name: `p-${name}` } }],
        'project.id',
      );
      const user = await mustSucceed(
        send,
        ['POST', at('users'), { user: { name: `u-${name}` } }],
        'user.id',
      );
      const group = await mustSucceed(
        send,
        ['POST', at('groups'), { group: { name: `g-${name}` } }],
        'group.id',
      );
      const role = await mustSucceed(
        send,
        ['POST', at('roles'), { role: { name: `r-${name}` } }],
        'role.id',
      );
      const other = await mustSucceed(
        send,
        ['POST', at('roles'), { role: { name: `o-${name}` } }],
        'role.id',
      );
      await mustSucceed(send, ['PUT', at(`groups/${group}/users/${user}`)]);
      return { project, user, group, role, other };
    },
    writes: ({ project, user, group, role, other }, name) => ({
      'rename the user': ['PATCH', at(`users/${user}`), { user: { name: `renamed-${name}` } }],
      'set an extra attribute of the user': ['PATCH', at(`users/${user}`), { user: { mark: 'x' } }],
      'delete the user': ['DELETE', at(`users/${user}`)],
      'rename the project': [
        'PATCH',
        at(`projects/${project}`),
        { project: { name: `renamed-${name}` } },
      ],
      'tag the project': ['PUT', at(`projects/${project}/tags/x`)],
      'add another tag to the project': ['PUT', at(`projects/${project}/tags/y`)],
      'create a child project': [
        'POST',
        at('projects'),
        { project: { name: `c-${name}`, parent_id: project } },
      ],
      'delete the project': ['DELETE', at(`projects/${project}`)],
      'delete the group': ['DELETE', at(`groups/${group}`)],
      'add the user to the group': ['PUT', at(`groups/${group}/users/${user}`)],
      'remove the user from the group': ['DELETE', at(`groups/${group}/users/${user}`)],
      'grant the user a role': ['PUT', at(`projects/${project}/users/${user}/roles/${role}`)],
      'revoke the role of the user': [
        'DELETE',
        at(`projects/${project}/users/${user}/roles/${role}`),
      ],
      'grant the group a role': ['PUT', at(`projects/${project}/groups/${group}/roles/${role}`)],
      'imply a role': ['PUT', at(`roles/${role}/implies/${other}`)],
      'imply it in the other direction': ['PUT', at(`roles/${other}/implies/${role}`)],
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
    async setup(send, name) {
      const service = await mustSucceed(
        send,
        ['POST', at('services'), { service: { type: `t-${name}`, name } }],
        'service.id',
      );
      const region = await mustSucceed(
        send,
        ['POST', at('regions'), { region: { id: `region-${name}` } }],
        'region.id',
      );
      const domain = await mustSucceed(
        send,
        ['POST', at('domains'), { domain: { name: `d-${name}`, enabled: false } }],
        'domain.id',
      );
      const limit = [{ service_id: service, resource_name: 'a', default_limit: 5 }];
      const { body } = await send('POST', at('registered_limits'), { registered_limits: limit });
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
      'create a user in it': [
        'POST',
        at('users'),
        { user: { name: `u-${name}`, domain_id: domain } },
      ],
      'create a group in it': [
        'POST',
        at('groups'),
        { group: { name: `g-${name}`, domain_id: domain } },
      ],
      'create a project in it': [
        'POST',
        at('projects'),
        { project: { name: `p-${name}`, domain_id: domain } },
      ],
      'enable the domain': ['PATCH', at(`domains/${domain}`), { domain: { enabled: true } }],
      'delete the registered limit': ['DELETE', at(`registered_limits/${registered}`)],
      'create a limit for the domain': [
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
  {
    name: 'the password of a user',
    async setup(send, name) {
      const user = { name: `u-${name}`, password: 'old' };
      return { user: await mustSucceed(send, ['POST', at('users'), { user }], 'user.id') };
    },
    writes: ({ user }, name) => {
      const change = (password: string): RequestSpec => [
        'POST',
        at(`users/${user}/password`),
        { user: { original_password: 'old', password } },
      ];
      const update = (fields: object): RequestSpec => [
        'PATCH',
        at(`users/${user}`),
        { user: fields },
      ];
      return {
        'change the password': change('new'),
        'change the password differently': change('newer'),
        'set the password': update({ password: 'given' }),
        'rename the user': update({ name: `renamed-${name}` }),
        'lock the password': update({ options: { lock_password: true } }),
        'disable the user': update({ enabled: false }),
        'delete the user': ['DELETE', at(`users/${user}`)],
      };
    },
    reads: ({ user }) => [at(`users/${user}`)],
  },
  {
    name: 'a consumer of OAuth',
    async setup(send, name) {
      const consumer = { description: name };
      const made: RequestSpec = ['POST', at('OS-OAUTH1/consumers'), { consumer }];
      return { consumer: await mustSucceed(send, made, 'consumer.id') };
    },
    writes: ({ consumer }) => {
      const update = (fields: object): RequestSpec => [
        'PATCH',
        at(`OS-OAUTH1/consumers/${consumer}`),
        { consumer: fields },
      ];
      return {
        'describe the consumer': update({ description: 'new' }),
        'describe the consumer differently': update({ description: 'newer' }),
        'set an extra attribute of the consumer': update({ mark: 'x' }),
        'set another extra attribute of the consumer': update({ other: 'y' }),
        'delete the consumer': ['DELETE', at(`OS-OAUTH1/consumers/${consumer}`)],
      };
    },
    reads: ({ consumer }) => [at(`OS-OAUTH1/consumers/${consumer}`)],
  },
];
