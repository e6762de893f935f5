// Tests of Tricircle's API as a whole: versions, tokens, methods, media types, and the three
// formats of errors.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { member } from '../../support/people.ts';
import { type Ask, asker, json, makePod, regions } from './support.ts';

onEachDatabase('the API of Tricircle', { auth: 'noauth2', regions }, (world) => {
  let ask: Ask;
  beforeEach(() => (ask = asker(world)));

  const root = (method: string, path: string, headers: Record<string, string> = json) =>
    world.ask('tricircle', method, `/tricircle${path}`, { headers });

  describe('versions', () => {
    it('are listed at the root, with a trailing slash in the link', async () => {
      const { body, headers } = await root('GET', '/').expect(200);
      const [version] = body.versions;
      expect(body.versions).to.have.length(1);
      expect(version).to.include({ id: 'v1.0', status: 'CURRENT', updated: '2015-09-09' });
      expect(version.links[0].href).to.match(/^http:\/\/127\.0\.0\.1:\d+\/tricircle\/v1\.0\/$/);
      expect(headers['x-openstack-request-id']).to.match(/^req-/);
    });

    for (const path of ['/v1.0', '/v1.0/'])
      it(`list their collections at ${path}`, async () => {
        const { body } = await root('GET', path).expect(200);
        expect(body.version).to.equal('1.0');
        const [self, ...others] = body.links;
        expect(self.href).to.match(/\/tricircle\/v1\.0$/);
        expect(others.map(({ rel }: { rel: string }) => rel)).to.deep.equal([
          'bindings',
          'jobs',
          'pod-affinity-tag',
          'pods',
          'routings',
          'usages',
        ]);
        expect(others[3].href).to.equal(`${self.href}/pods`);
      });

    for (const path of ['/', '/v1.0'])
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
        it(`return 405 for ${method} ${path}`, async () => {
          const { headers } = await root(method, path).expect(405);
          expect(headers['allow']).to.equal('GET');
        });
  });

  it('returns 401 without a token, even at the root', async () => {
    for (const path of ['/', '/v1.0', '/v1.0/pods', '/v1.0/fake']) {
      const { body, headers } = await world
        .ask('tricircle', 'GET', `/tricircle${path}`, { token: null })
        .expect(401);
      expect(body.error).to.include({ code: 401, title: 'Unauthorized' });
      expect(headers['www-authenticate']).to.match(/^Keystone uri="/);
    }
  });

  describe('paths and methods', () => {
    it('return 404 in the format of WebOb if they do not exist', async () => {
      for (const [method, path] of [
        ['GET', '/fake_path'],
        ['PATCH', '/v1.0/123'],
        ['POST', '/v1.0/pods/x'],
        ['GET', '/v1.0/pods/a/b'],
        ['GET', '/v1.0/pods/x.txt'],
      ] as const) {
        const { body } = await root(method, path).expect(404);
        expect(body).to.deep.equal({ code: 404, title: 'Not Found', description: null });
      }
    });

    it('return 405 with the methods of the collection and its members', async () => {
      for (const [method, path, allow] of [
        ['PUT', '/pods', 'DELETE, GET, POST, PUT'],
        ['PATCH', '/pods/x', 'DELETE, GET, POST, PUT'],
        ['DELETE', '/pods', 'DELETE, GET, POST, PUT'],
        ['PUT', '/bindings/x', 'DELETE, GET, POST'],
        ['PATCH', '/routings', 'DELETE, GET, POST, PUT'],
        ['HEAD', '/jobs', 'DELETE, GET, POST, PUT'],
      ] as const) {
        const { body, headers } = await ask(method, path).expect(405);
        expect(headers['allow'], `${method} ${path}`).to.equal(allow);
        if (method !== 'HEAD')
          expect(body).to.deep.equal({ code: 405, title: 'Method Not Allowed', description: '' });
      }
    });

    it('may end in a slash or in .json', async () => {
      const { pod_id: id } = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      for (const path of ['/pods/', '/pods.json'])
        expect((await ask('GET', path).expect(200)).body.pods).to.have.length(1);
      expect((await ask('GET', `/pods/${id}.json`).expect(200)).body.pod.pod_id).to.equal(id);
      await ask('GET', '/pods.json', undefined, { headers: { accept: 'text/html' } }).expect(200);
    });
  });

  describe('media types', () => {
    it('other than JSON return 406', async () => {
      const { text, headers } = await ask('GET', '/pods', undefined, {
        headers: { accept: 'text/html' },
      }).expect(406);
      expect(headers['content-type']).to.equal('text/html; charset=UTF-8');
      expect(text).to.contain('<h1>406 Not Acceptable</h1>');
      for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1', ''])
        await ask('GET', '/pods', undefined, { headers: { accept } }).expect(200);
      await ask('GET', '/pods', undefined, { headers: { accept: 'application/json;q=0' } }).expect(
        406,
      );
    });

    const notFound = (accept: string) =>
      ask('GET', '/pods/none', undefined, { headers: { accept } }).expect(404);

    it('of errors: JSON if the header names it', async () => {
      for (const accept of [
        'application/json',
        'application/json, */*',
        '*/*, application/json;q=0.1',
      ]) {
        const { body } = await notFound(accept);
        expect(body).to.deep.equal({ code: 404, title: 'Not Found', description: 'Pod not found' });
      }
    });

    it('of errors: HTML if the header accepts anything', async () => {
      const { text, headers } = await notFound('*/*');
      expect(headers['content-type']).to.equal('text/html; charset=UTF-8');
      expect(text).to.equal(
        '<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n  <h1>404 Not ' +
          'Found</h1>\n  The resource could not be found.<br /><br />\nPod not found\n\n\n ' +
          '</body>\n</html>',
      );
    });

    it('of errors: plain text without a media type in the header', async () => {
      const { text, headers } = await notFound('');
      expect(headers['content-type']).to.equal('text/plain; charset=UTF-8');
      expect(text).to.equal(
        '404 Not Found\n\nThe resource could not be found.\n\n Pod not found  ',
      );
      const notAllowed = await ask('PATCH', '/pods', undefined, { headers: { accept: '' } }).expect(
        405,
      );
      expect(notAllowed.text).to.equal(
        '405 Method Not Allowed\n\nThe method PATCH is not allowed for this resource. \n\n ',
      );
    });

    it('of errors escape the values of the request', async () => {
      const { text } = await ask('GET', '/bindings?limit=<script>', undefined, {
        headers: { accept: '*/*' },
      }).expect(400);
      expect(text).to.contain('&lt;script&gt;').and.not.contain('<script>');
    });
  });

  describe('bodies', () => {
    for (const [kind, body, type] of [
      ['invalid JSON', '{"pod":', 'application/json'],
      ['an array', '[{"pod":{}}]', 'application/json'],
      ['a string', '"pod"', 'application/json'],
      ['a form', 'pod=x', 'application/x-www-form-urlencoded'],
      ['an object under another key', '{"pod_xxx":{}}', 'application/json'],
      ['a text under the key', '{"pod":"x"}', 'application/json'],
      ['empty', '', 'application/json'],
    ] as const)
      it(`return 400 for ${kind}`, async () => {
        const { body: error } = await ask('POST', '/pods', body, {
          headers: { 'content-type': type },
        }).expect(400);
        expect(error).to.deep.equal({
          code: 400,
          title: 'Bad Request',
          description: 'Request body pod not found',
        });
      });
  });

  describe('for a member', () => {
    const byMember = (method: string, path: string, body?: unknown) =>
      ask(method, path, body, { token: member.token, headers: member.headers });

    for (const [method, path, description] of [
      ['GET', '/pods', 'Unauthorized to list pods'],
      ['POST', '/pods', 'Unauthorized to create pods'],
      ['GET', '/pods/x', 'Unauthorized to show pods'],
      ['PUT', '/pods/x', 'Unauthorized to update pods'],
      ['DELETE', '/pods/x', 'Unauthorized to delete pods'],
      ['GET', '/bindings', 'Unauthorized to list bindings'],
      ['GET', '/bindings/history', 'Unauthorized to list bindings'],
      ['POST', '/bindings', 'Unauthorized to create bindings'],
      ['GET', '/bindings/x', 'Unauthorized to show bindings'],
      ['DELETE', '/bindings/x', 'Unauthorized to delete bindings'],
      ['GET', '/usages', 'Unauthorized to list usages'],
      ['POST', '/usages', 'Unauthorized to collect usages'],
      ['GET', '/usages/x', 'Unauthorized to show usages'],
    ] as const)
      it(`${method} ${path} returns 401`, async () => {
        const { body, headers } = await byMember(method, path).expect(401);
        expect(body).to.deep.equal({ code: 401, title: 'Unauthorized', description });
        expect(headers['www-authenticate']).to.match(/^Keystone uri="/);
      });

    for (const [method, path, message] of [
      ['GET', '/routings', 'Unauthorized to show all resource routings'],
      ['POST', '/routings', 'Unauthorized to create resource routing'],
      ['GET', '/routings/1', 'Unauthorized to show the resource routing'],
      ['PUT', '/routings/1', 'Unauthorized to update resource routing'],
      ['DELETE', '/routings/1', 'Unauthorized to delete the resource routing'],
      ['GET', '/jobs', 'Unauthorized to show all jobs'],
      ['POST', '/jobs', 'Unauthorized to create a job'],
      ['GET', '/jobs/detail', 'Unauthorized to show job information'],
      ['GET', '/jobs/schemas', 'Unauthorized to show job information'],
      ['GET', '/jobs/x', 'Unauthorized to show job information'],
      ['PUT', '/jobs/x', 'Unauthorized to redo a job'],
      ['DELETE', '/jobs/x', 'Unauthorized to delete a job'],
      ['POST', '/pod-affinity-tag', 'Unauthorized to pod affinity tag'],
    ] as const)
      it(`${method} ${path} returns 403`, async () => {
        const { body } = await byMember(method, path).expect(403);
        expect(body).to.deep.equal({ forbidden: { message, code: 403 } });
      });
  });
});
