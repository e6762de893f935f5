// Tests of the requests that fault rules match.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { busy, faultsOf, providersOf, statusOf, type Plan } from './support.ts';

onEachDatabase(
  'the match of a fault rule',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const faults = faultsOf(world);
    const { list } = providersOf(world);

    afterEach(() => faults.clear());

    const bob: Asked = {
      token: 'bob:acme',
      headers: { 'x-roles': 'admin', 'user-agent': 'gophercloud/2.0' },
      version: '1.20',
    };
    const cases: readonly (readonly [
      match: Plan['match'],
      asked: Asked | undefined,
      prefix: string,
      status: number,
    ])[] = [
      [{ service: 'image' }, undefined, '', 200],
      [{ region: 'RegionTwo' }, undefined, '/RegionTwo', 503],
      [{ region: 'RegionTwo' }, undefined, '', 200],
      [{ method: 'POST' }, undefined, '', 200],
      [{ operation: 'resource_providers:list' }, undefined, '', 503],
      [{ operation: 'resource_providers:create' }, undefined, '', 200],
      [{ path: '/resource_providers' }, undefined, '', 503],
      [{ path: '/resource_*' }, undefined, '', 503],
      [{ path: '/resource_providers/*' }, undefined, '', 200],
      [{ path: '/resource_providers/{uuid}/**' }, undefined, '', 200],
      [{ path: '/**' }, undefined, '', 503],
      [{ project: 'acme' }, bob, '', 503],
      [{ project: 'acme' }, undefined, '', 200],
      [{ user: 'bob' }, bob, '', 503],
      [{ user: 'bob' }, undefined, '', 200],
      [{ service: 'placement', min_version: '1.10' }, bob, '', 503],
      [{ service: 'placement', min_version: '1.10' }, undefined, '', 200],
      [{ service: 'placement', min_version: '1.20', max_version: '1.20' }, bob, '', 503],
      [{ service: 'placement', max_version: '1.19' }, bob, '', 200],
      [{ headers: { 'User-Agent': 'gophercloud' } }, bob, '', 503],
      [{ headers: { 'user-agent': 'gophercloud/3' } }, bob, '', 200],
      [{ headers: { 'x-none': '' } }, bob, '', 200],
      [{ inside: true }, undefined, '', 200],
      [{ user: 'bob', project: 'globex' }, bob, '', 200],
    ];
    for (const [match, asked, prefix, status] of cases) {
      it(
        `${JSON.stringify(match)}: ${asked ? 'bob' : 'admin'} gets ${status} from ` +
          `${prefix}/placement`,
        async () => {
          await faults.add({ match: match!, effect: busy });
          expect(await list(asked, prefix)).to.equal(status);
          expect(await faults.counts()).to.deep.equal([status === 200 ? '0/0' : '1/1']);
        },
      );
    }

    it('matches every service and region, except the emulator itself, if it is empty', async () => {
      await faults.add({ effect: { status: 500 } });
      expect([await list(), await list(undefined, '/RegionTwo')]).to.deep.equal([500, 500]);
      await world.http.get('/identity/v3').expect(500);
      for (const path of ['health', 'ready', 'info', 'metrics', 'clock', 'regions'])
        await world.http.get(`/_emulator/${path}`).expect(200);
      await world.http.get('/').expect(200);
    });

    it('with a region does not match the services that all regions share', async () => {
      await faults.add({ match: { region: 'RegionOne' }, effect: busy });
      expect([await list(), await list({}, '/RegionTwo')]).to.deep.equal([503, 200]);
      await world.http.get('/identity/v3').expect(200);
    });

    it('matches an action by its name', async () => {
      await faults.add({ match: { service: 'compute', operation: 'os-stop' }, effect: busy });
      const act = async (body: object): Promise<number> =>
        (await world.ask('compute', 'POST', '/compute/v2.1/servers/none/action', { body })).status;
      expect([await act({ 'os-start': null }), await act({ 'os-stop': null })]).to.deep.equal([
        404, 503,
      ]);
    });

    it('neither matches nor counts requests that the service rejects', async () => {
      await faults.add({ match: { service: 'placement' }, effect: busy });
      expect(await list({ token: null })).to.equal(401);
      expect(await list({ version: '1.99' })).to.equal(406);
      expect(
        await statusOf(
          world.ask('placement', 'POST', '/placement/resource_providers', { body: {} }),
        ),
      ).to.equal(400);
      expect(await statusOf(world.ask('placement', 'GET', '/placement/nowhere'))).to.equal(404);
      expect(await faults.counts()).to.deep.equal(['0/0']);
    });
  },
);
