// Versions: the document at the root, the version header of requests, and the headers of every
// reply.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, expectRefusal, newest, refusalOf } from './support.ts';

const documentBody = {
  versions: [
    {
      id: 'v1.0',
      max_version: '1.39',
      min_version: '1.0',
      status: 'CURRENT',
      links: [{ rel: 'self', href: '' }],
    },
  ],
};

onEachDatabase('Placement: versions', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const withHeader = (header: string, path = '/resource_providers') =>
    send(`GET ${path}`, undefined, { headers: { 'openstack-api-version': header } });

  describe('GET /', () => {
    it('returns the versions, even without a token or a slash #blazar-27', async () => {
      for (const path of ['/', '']) {
        const { body, headers } = await send(`GET ${path}`, undefined, { token: null }).expect(200);
        expect(body).to.deep.equal(documentBody);
        expect(headers['content-type']).to.equal('application/json');
        expect(headers['openstack-api-version']).to.equal('placement 1.0');
        expect(headers).to.not.have.any.keys('last-modified', 'cache-control');
      }
    });

    it('returns the current time as Last-Modified from 1.15 on', async () => {
      const { headers } = await send('GET /', '1.15', { token: null }).expect(200);
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('returns 406 for an unknown version, which clients use to find the newest one', async () => {
      const refused = await send('GET /', '1.99', { token: null });
      expect(refusalOf(refused, 406)).to.include({ max_version: '1.39', min_version: '1.0' });
      await send('GET /', 'pony', { token: null }).expect(400);
    });

    it('accepts any Accept header, but no other method', async () => {
      await send('GET /', undefined, { token: null, headers: { accept: 'text/plain' } }).expect(
        200,
      );
      for (const method of ['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
        const { headers } = await send(`${method} /`, undefined, { token: null }).expect(405);
        expect(headers['allow']).to.equal('GET');
      }
    });
  });

  describe('the version header of a request', () => {
    for (const [header, version] of [
      ['placement 1.10', '1.10'],
      ['placement latest', '1.39'],
      ['PLACEMENT 1.10', '1.10'],
      ['placement 1.04', '1.4'],
      ['placement 1. 4', '1.4'],
      ['compute 2.1, placement 1.10', '1.10'],
      ['placement 1.10, compute 2.1', '1.10'],
      ['placement 1.10, placement 1.11', '1.11'],
      ['placement 1.11, 1.12', '1.11'],
      ['1.10', '1.0'],
      ['compute 2.1', '1.0'],
      ['', '1.0'],
    ] as const) {
      it(`selects ${version} for '${header}'`, async () => {
        const { headers } = await withHeader(header).expect(200);
        expect(headers['openstack-api-version']).to.equal(`placement ${version}`);
        expect(headers['vary']).to.equal('openstack-api-version');
      });
    }

    it('selects the oldest version without a header, and with an obsolete one', async () => {
      const { headers } = await send('GET /resource_providers').expect(200);
      expect(headers['openstack-api-version']).to.equal('placement 1.0');
      const old = await send('GET /resource_providers', undefined, {
        headers: { 'openstack-placement-api-version': '1.10' },
      }).expect(200);
      expect(old.headers['openstack-api-version']).to.equal('placement 1.0');
    });

    for (const [version, why] of [
      ['foo', "invalid literal for int() with base 10: 'foo'"],
      ['Latest', "invalid literal for int() with base 10: 'Latest'"],
      ['pony.horse', "invalid literal for int() with base 10: 'pony'"],
      ['1.2.3', "invalid literal for int() with base 10: '2.3'"],
      ['1', "Version.__new__() missing 1 required positional argument: 'minor'"],
    ] as const) {
      it(`returns 400 for the malformed version '${version}'`, async () => {
        const refused = await send('GET /resource_providers', version);
        const error = refusalOf(refused, 400);
        expect(error.detail).to.equal(
          'The server could not comply with the request since it is either malformed or ' +
            `otherwise incorrect.\n\n Invalid microversion: invalid version string: ` +
            `${version}; ${why}  `,
        );
        expect(error).to.have.all.keys('status', 'title', 'detail', 'request_id');
        expect(refused.headers).to.not.have.any.keys('openstack-api-version', 'vary');
      });
    }

    for (const version of ['0.5', '1.40', '1.99', '-1.0', '2.0']) {
      it(`returns 406 for the unknown version ${version}`, async () => {
        const refused = await send('GET /resource_providers', version);
        const error = refusalOf(refused, 406);
        expect(error.detail).to.contain(
          `(content of type application/json. \n\n Invalid microversion: Unacceptable ` +
            `version header: ${version}`,
        );
        expect(error).to.include({ max_version: '1.39', min_version: '1.0' });
        expect(error).to.have.all.keys(
          'status',
          'title',
          'detail',
          'request_id',
          'max_version',
          'min_version',
        );
        expect(refused.headers).to.not.have.any.keys('openstack-api-version', 'vary');
      });
    }

    it('adds a code to errors from 1.23 on', async () => {
      expect(refusalOf(await send('GET /nothing', '1.22'), 404)).to.have.all.keys(
        'status',
        'title',
        'detail',
        'request_id',
      );
      expect(refusalOf(await send('GET /nothing', '1.23'), 404)).to.include({
        code: 'placement.undefined_code',
      });
    });
  });

  describe('every reply', () => {
    it('has a new request id, regardless of the id in the request', async () => {
      const ids = new Set<string>();
      for (const line of [
        'GET /',
        'GET /resource_providers',
        'GET /nothing',
        'DELETE /allocations/x',
      ]) {
        const { headers } = await send(line, newest, {
          headers: { 'x-openstack-request-id': 'req-11111111-1111-4111-8111-111111111111' },
        });
        expect(headers['x-openstack-request-id']).to.match(
          /^req-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        ids.add(headers['x-openstack-request-id'] as string);
      }
      expect(ids).to.have.length(4);
      expect(ids).to.not.include('req-11111111-1111-4111-8111-111111111111');
    });

    it('is plain JSON without a charset, an ETag or a server header #placement-22', async () => {
      const { headers } = await send('GET /traits', newest).expect(200);
      expect(headers['content-type']).to.equal('application/json');
      expect(headers).to.not.have.any.keys('etag', 'x-powered-by', 'server');
    });

    it('is complete for a conditional request #placement-22', async () => {
      const headers = {
        'if-modified-since': 'Fri, 20 Nov 2026 23:00:00 GMT',
        'if-none-match': '*',
      };
      const { body } = await send('GET /resource_providers', newest, { headers }).expect(200);
      expect(body).to.deep.equal({ resource_providers: [] });
    });

    it('uses the path of the request in links, and its Host in locations', async () => {
      const body = { name: 'host' };
      const { headers } = await send('POST /resource_providers', '1.19', {
        body,
        headers: { host: 'localhost:8778' },
      }).expect(201);
      expect(headers['location']).to.match(
        /^http:\/\/localhost:8778\/placement\/resource_providers\/[0-9a-f-]{36}$/,
      );
      const inRegion = await world
        .ask('placement', 'GET', '/RegionOne/placement/resource_classes/VCPU', { version: newest })
        .expect(200);
      expect(inRegion.body.links).to.deep.equal([
        { rel: 'self', href: '/RegionOne/placement/resource_classes/VCPU' },
      ]);
    });
  });

  describe('paths', () => {
    it('are case-sensitive, without a trailing slash or repeated slashes', async () => {
      for (const path of [
        '/resource_providers/',
        '/Traits',
        '/TRAITS',
        '//traits',
        '/traits//',
        '/nothing',
        '/traits/a%2Fb',
        '/traits/a/b',
      ]) {
        expectRefusal(await send(`GET ${path}`, newest), 404, '');
      }
    });
  });
});
