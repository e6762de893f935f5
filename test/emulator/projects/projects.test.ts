// Tests of /_emulator/projects: creating, listing and deleting throw-away projects.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { rowCounter } from '../../support/rows.ts';
import { projectsOf, userOf, type Project } from './support.ts';

onEachDatabase(
  '/_emulator/projects',
  { regions: ['RegionOne', 'RegionTwo'], hosts: '2' },
  (world) => {
    const { request, create, list, requestDelete, remove } = projectsOf(world);
    const signIn = ({ name, password }: Project) =>
      world.ask('identity', 'POST', '/identity/v3/auth/tokens', {
        token: null,
        body: {
          auth: {
            identity: {
              methods: ['password'],
              password: { user: { name, password, domain: { name } } },
            },
            scope: { project: { name, domain: { name } } },
          },
        },
      });

    it('creates a project whose user can sign in with the credentials', async () => {
      const project = await create();
      expect(project.env).to.include({
        OS_USERNAME: project.name,
        OS_PASSWORD: project.password,
        OS_PROJECT_DOMAIN_NAME: project.name,
        OS_REGION_NAME: 'RegionOne',
      });
      expect(project.clouds_yaml).to.include(`password: ${project.password}`);
      const { body } = await signIn(project).expect(201);
      const { token } = body as {
        token: { project: { id: string; domain: { id: string } }; roles: { name: string }[] };
      };
      expect(token.project).to.deep.include({ id: project.id });
      expect(token.project.domain.id).to.equal(project.domain_id);
      expect(token.roles.map(({ name }) => name)).to.have.members(['member', 'reader']);
      await signIn({ ...project, password: 'wrong' }).expect(401);
    });

    it('gives the user the roles, the name and the password of the request', async () => {
      const project = await create({ name: 'mine', roles: ['admin'], password: 'chosen' });
      expect(project).to.deep.include({ name: 'mine', password: 'chosen', roles: ['admin'] });
      await signIn(project).expect(201);
      await userOf(world, project).send('identity', 'GET', '/identity/v3/users').expect(200);
      const { body } = await request({ name: 'mine' }).expect(409);
      expect(JSON.stringify(body)).to.include('mine');
    });

    it('creates a network behind a router in each region, unless told not to', async () => {
      const project = await create();
      expect(project.networks.map(({ region }) => region)).to.deep.equal([
        'RegionOne',
        'RegionTwo',
      ]);
      for (const { region, network_id: network, external_ip: address } of project.networks) {
        const prefix = region === 'RegionOne' ? '' : `/${region}`;
        expect(await userOf(world, project, prefix).seen()).to.deep.equal([network]);
        expect(address).to.match(/^172\.24\.4\./);
      }
      expect((await create({ network: false })).networks).to.deep.equal([]);
    });

    it('sets the quotas of the request in each region', async () => {
      const quotas = { compute: { cores: 3 }, network: { router: 1 }, volume: { volumes: 0 } };
      const project = await create({ quotas, roles: ['admin'] });
      for (const prefix of ['', '/RegionTwo']) {
        const { send } = userOf(world, project, prefix);
        const sets = [
          ['compute', `/compute/v2.1/os-quota-sets/${project.id}`, { cores: 3, instances: 10 }],
          ['volume', `/volume/v3/${project.id}/os-quota-sets/${project.id}`, { volumes: 0 }],
        ] as const;
        for (const [service, path, expected] of sets) {
          const { body } = await send(service, 'GET', path).expect(200);
          expect((body as { quota_set: object }).quota_set).to.deep.include(expected);
        }
        const path = `/network/v2.0/quotas/${project.id}`;
        const { body } = await send('network', 'GET', path).expect(200);
        expect((body as { quota: object }).quota).to.deep.include({ router: 1, network: 100 });
      }
    });

    it('returns 400 for unknown roles and quotas, and keeps nothing', async () => {
      const counts = await rowCounter(world.cloud);
      const before = await counts();
      for (const body of [
        { roles: ['boss'] },
        { roles: [] },
        { quotas: { compute: { boats: 1 } } },
        { quotas: { network: { boats: 1 } } },
        { quotas: { volume: { boats: 1 } } },
        { quotas: { compute: { cores: -2 } } },
        { quotas: { identity: {} } },
        { name: '' },
        { hosts: 1 },
      ])
        await request(body).expect(400);
      const { body } = await request({ roles: ['boss'] }).expect(400);
      expect((body as { error: { message: string } }).error.message).to.match(
        /^There is no role 'boss'. Roles: admin, /,
      );
      expect(await counts()).to.deep.equal(before);
      expect(await list()).to.deep.equal([]);
    });

    it('lists the projects that it has created, the oldest first', async () => {
      const [one, two] = [await create({ name: 'z' }), await create({ name: 'a' })];
      expect((await list()).map(({ id, name }) => [id, name])).to.deep.equal([
        [one.id, 'z'],
        [two.id, 'a'],
      ]);
      await remove(one.id);
      expect((await list()).map(({ name }) => name)).to.deep.equal(['a']);
    });

    it('ends the tokens of a deleted project, and says what it has deleted', async () => {
      const project = await create();
      const user = userOf(world, project);
      await user.boot(project.networks[0]!.network_id);
      await user.createVolume();
      expect(await remove(project.id)).to.deep.equal({
        consumers: 1,
        domains: 1,
        networks: 2,
        ports: 7,
        projects: 1,
        routers: 2,
        security_group_rules: 4,
        security_groups: 1,
        segments: 2,
        servers: 1,
        subnets: 2,
        users: 1,
        volumes: 1,
      });
      await user.send('compute', 'GET', '/compute/v2.1/servers').expect(401);
      await signIn(project).expect(401);
    });

    it('returns 404 for other ids, such as that of an ordinary project', async () => {
      const project = await create();
      await remove(project.id);
      for (const id of [project.id, project.domain_id, 'x']) await requestDelete(id).expect(404);
    });
  },
);

onEachDatabase('/_emulator/projects with a control token', { controlToken: 'key' }, (world) => {
  it('returns 403 without the token', async () => {
    const { request, requestDelete } = projectsOf(world);
    await request().expect(403);
    await requestDelete('x').expect(403);
    await request().set('x-control-token', 'key').expect(201);
  });
});

onEachDatabase('/_emulator/projects with noauth2', { auth: 'noauth2' }, (world) => {
  it('returns 409, because nobody can sign in', async () => {
    const { body } = await projectsOf(world).request().expect(409);
    expect(JSON.stringify(body)).to.include('--auth noauth2');
  });
});
