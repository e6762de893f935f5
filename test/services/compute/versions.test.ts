// Tests version discovery and negotiation in Compute, and the format of its errors.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, config, expectFault, member } from './support.ts';

onEachDatabase('compute: versions', config, (world) => {
  const at = (path: string, headers: Record<string, string> = {}) =>
    world.ask('compute', 'GET', `/compute${path}`, { headers });

  describe('version documents', () => {
    it('list v2.0 first, without a token and without version headers', async () => {
      const { status, body, headers } = await world.ask('compute', 'GET', '/compute/', {
        token: null,
      });
      expect(status).to.equal(200);
      expect(body.versions.map(({ id }: { id: string }) => id)).to.deep.equal(['v2.0', 'v2.1']);
      expect(body.versions[1]).to.deep.include({
        status: 'CURRENT',
        version: '2.104',
        min_version: '2.1',
      });
      expect(headers).to.not.have.any.keys('openstack-api-version', 'x-openstack-nova-api-version');
    });

    it('match the list, with and without a trailing slash', async () => {
      const list = await world.ask('compute', 'GET', '/compute', { token: null });
      for (const [index, path] of ['/v2', '/v2.1'].entries()) {
        const with_ = await world.ask('compute', 'GET', `/compute${path}/`, { token: null });
        const without = await world.ask('compute', 'GET', `/compute${path}`, { token: null });
        expect(without.body.version.links).to.have.length(2);
        expect(with_.body.version.links[0].href).to.equal(list.body.versions[index].links[0].href);
        expect(with_.body.version.links[0].href).to.match(
          new RegExp(`/compute${path.replace('.', '\\.')}/$`),
        );
      }
    });

    it('are returned with 300 for a path without a version', async () => {
      const { status, body } = await world.ask('compute', 'GET', '/compute/servers', {
        token: null,
      });
      expect(status).to.equal(300);
      expect(body.choices.map(({ id }: { id: string }) => id)).to.deep.equal(['v2.0', 'v2.1']);
    });
  });

  it('returns errors as JSON with a charset, and other replies without one', async () => {
    const typeOf = async (path: string, asked: Asked = {}): Promise<unknown> =>
      (await ask(world, 'GET', path, asked)).headers['content-type'];
    const faultType = 'application/json; charset=UTF-8';
    expect(await typeOf('/flavors')).to.equal('application/json');
    expect(await typeOf('/flavors/none')).to.equal(faultType);
    expect(await typeOf('/flavors', { version: '2.999' })).to.equal(faultType);
    expect(await typeOf('/os-hypervisors', member)).to.equal(faultType);
  });

  describe('the version of a request', () => {
    const versionOf = (headers: Record<string, string>): unknown => [
      headers['openstack-api-version'],
      headers['x-openstack-nova-api-version'],
    ];

    it('defaults to the oldest, and is returned in both headers', async () => {
      const { headers } = await at('/v2.1/flavors');
      expect(versionOf(headers)).to.deep.equal(['compute 2.1', '2.1']);
      expect(headers['vary']).to.equal('OpenStack-API-Version, X-OpenStack-Nova-API-Version');
      expect(headers['x-compute-request-id']).to.equal(headers['x-openstack-request-id']);
    });

    it('can be requested by either header; the newer header counts', async () => {
      expect(
        versionOf((await at('/v2.1/flavors', { 'x-openstack-nova-api-version': '2.55' })).headers),
      ).to.deep.equal(['compute 2.55', '2.55']);
      const both = {
        'openstack-api-version': 'placement 1.10, compute 2.61',
        'x-openstack-nova-api-version': '2.55',
      };
      expect(versionOf((await at('/v2.1/flavors', both)).headers)).to.deep.equal([
        'compute 2.61',
        '2.61',
      ]);
      const others = {
        'openstack-api-version': 'volume 3.50',
        'x-openstack-nova-api-version': '2.9',
      };
      expect(versionOf((await at('/v2.1/flavors', others)).headers)).to.deep.equal([
        'compute 2.9',
        '2.9',
      ]);
      expect(
        versionOf(
          (await at('/v2.1/flavors', { 'openstack-api-version': 'compute latest' })).headers,
        ),
      ).to.deep.equal(['compute 2.104', '2.104']);
    });

    it('returns 400 or 406 if malformed or unsupported', async () => {
      for (const text of ['abc', '2.01', '2', '2.1.1'])
        expectFault(
          await at('/v2.1/flavors', { 'openstack-api-version': `compute ${text}` }),
          400,
          `API Version String ${text} is of invalid format. Must be of format MajorNum.MinorNum.`,
        );
      const reply = await at('/v2.1/flavors', { 'x-openstack-nova-api-version': '2.999' });
      expectFault(
        reply,
        406,
        'Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.104.',
      );
      expect(versionOf(reply.headers)).to.deep.equal(['compute 2.999', '2.999']);
    });

    it('is returned with errors, too', async () => {
      const reply = await ask(world, 'PUT', '/flavors/1', { version: '2.54', body: {} });
      expectFault(reply, 404, 'The resource could not be found.');
      expect(versionOf(reply.headers)).to.deep.equal(['compute 2.54', '2.54']);
    });
  });

  describe('the project in the path', () => {
    it('may be the token’s project, and then appears in links', async () => {
      const project = '0123456789abcdef0123456789abcdef';
      const { status, body } = await world.ask(
        'compute',
        'GET',
        `/compute/v2.1/${project}/flavors/1`,
        {
          token: `admin:${project}`,
        },
      );
      expect(status).to.equal(200);
      expect(
        body.flavor.links.map(({ rel, href }: { rel: string; href: string }) => [
          rel,
          href.replace(/^http:\/\/[^/]+/, ''),
        ]),
      ).to.deep.equal([
        ['self', `/compute/v2.1/${project}/flavors/1`],
        ['bookmark', `/compute/${project}/flavors/1`],
      ]);
      const plain = await ask(world, 'GET', '/flavors/1');
      expect(plain.body.flavor.links[0].href).to.match(/\/compute\/v2\.1\/flavors\/1$/);
      expect(plain.body.flavor.links[1].href).to.match(/\/compute\/flavors\/1$/);
    });

    it('returns 400 for another project', async () => {
      expectFault(
        await world.ask('compute', 'GET', '/compute/v2.1/abc/flavors'),
        400,
        "Malformed request URL: URL's project_id 'abc' doesn't match Context's project_id 'admin'",
      );
    });
  });

  describe('errors', () => {
    it('without a token have the body of keystonemiddleware', async () => {
      const { status, body, headers } = await world.ask('compute', 'GET', '/compute/v2.1/flavors', {
        token: null,
      });
      expect(status).to.equal(401);
      expect(body).to.deep.equal({
        error: {
          code: 401,
          title: 'Unauthorized',
          message: 'The request you have made requires authentication.',
        },
      });
      expect(headers['www-authenticate']).to.match(/^Keystone uri="http:\/\/.+\/identity"$/);
    });

    it('for removed APIs are 410', async () => {
      expectFault(await ask(world, 'GET', '/os-cells'), 410, /no longer available/);
      expectFault(
        await ask(world, 'PUT', '/os-agents/1', { body: {} }),
        410,
        /no longer available/,
      );
      expectFault(
        await ask(world, 'DELETE', '/os-networks/1', { version: '2.104' }),
        410,
        /no longer available/,
      );
      expectFault(
        await ask(world, 'POST', '/os-networks/add', { body: {} }),
        410,
        /no longer available/,
      );
      expectFault(
        await ask(world, 'GET', '/servers/x/os-virtual-interfaces'),
        410,
        /no longer available/,
      );
      expectFault(await ask(world, 'GET', '/os-agents/1'), 404, 'The resource could not be found.');
    });

    it('for system tokens are 403, because all rules are for projects', async () => {
      const reply = await ask(world, 'GET', '/os-hypervisors', {
        headers: { 'openstack-system-scope': 'all' },
      });
      expectFault(
        reply,
        403,
        "Policy doesn't allow os_compute_api:os-hypervisors:list to be performed.",
      );
    });

    it('do not depend on Accept', async () => {
      for (const accept of ['', 'text/html', '*/*', 'image/png'])
        expect((await at('/v2.1/flavors', { accept })).status, accept).to.equal(200);
    });
  });

  describe('GET /extensions', () => {
    it('lists the extensions, and shows one by its alias', async () => {
      const list = await ask(world, 'GET', '/extensions', member);
      expect(list.body.extensions).to.have.length(100);
      const shown = await ask(world, 'GET', '/extensions/os-server-groups', member);
      expect(shown.body.extension).to.deep.include({
        alias: 'os-server-groups',
        name: 'ServerGroups',
        links: [],
      });
      expectFault(
        await ask(world, 'GET', '/extensions/none', member),
        404,
        'The resource could not be found.',
      );
    });
  });
});
