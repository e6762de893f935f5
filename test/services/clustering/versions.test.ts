// Tests of version documents, version negotiation and the version headers of replies.
import { expect } from 'chai';
import { errorTypeOf, messageOf, newest, onClustering } from './support.ts';

onClustering('versions', {}, (clustering, world) => {
  const get = (path: string, options: object = {}) =>
    world.ask('clustering', 'GET', `/clustering${path}`, { token: null, ...options });

  describe('GET /', () => {
    it('returns 300 with the only version, without a token', async () => {
      const root = await get('/').expect(300);
      expect(root.body.versions).to.have.length(1);
      expect(root.body.versions[0]).to.include({
        id: '1.0',
        min_version: '1.0',
        max_version: newest,
      });
      expect(root.body.versions[0].links[0].href).to.match(/\/clustering\/v1$/);
    });
  });

  describe('GET /v1', () => {
    it('returns the version without a token', async () => {
      const { body } = await get('/v1').expect(200);
      expect(body.version).to.include({ id: '1.0', status: 'CURRENT', max_version: newest });
    });

    it('returns 401 without a token if the path ends with a slash', async () => {
      await get('/v1/').expect(401);
    });
  });

  describe('version negotiation', () => {
    it('returns 406 for an unsupported version before it authenticates', async () => {
      const reply = await get('/v1/clusters', { version: '1.99' }).expect(406);
      expect(messageOf(reply)).to.equal(
        "Version '1.99' is not supported by the API. Minimum is '1.0' and maximum is '1.14'.",
      );
      expect(errorTypeOf(reply)).to.equal('InvalidGlobalAPIVersion');
    });

    it('returns 400 in the format of WebOb for a malformed version', async () => {
      const reply = await get('/v1/clusters', { version: 'x' }).expect(400);
      expect(reply.body).to.deep.equal({
        message: "API Version String 'x' is of invalid format. It must be of format 'major.minor'.",
        code: '400 Bad Request',
        title: 'Bad Request',
      });
    });

    it('returns 404 for an unknown major version if the client accepts JSON only', async () => {
      const reply = await get('/vx', { headers: { accept: 'application/json' } }).expect(404);
      expect(reply.body).to.include({ code: '404 Not Found', title: 'Not Found' });
    });
  });

  describe('version headers', () => {
    it('name the requested version', async () => {
      const reply = await clustering.request('GET', '/clusters').expect(200);
      expect(reply.headers).to.include({
        'openstack-api-version': 'clustering 1.14',
        vary: 'OpenStack-API-Version',
      });
    });

    it('name the oldest version if the client requests none', async () => {
      const reply = await get('/v1/clusters', { token: 'demo:demo' }).expect(200);
      expect(reply.headers['openstack-api-version']).to.equal('clustering 1.0');
    });

    it('are absent from errors', async () => {
      const reply = await clustering.request('GET', '/clusters/x').expect(404);
      expect(reply.headers).to.not.have.property('openstack-api-version');
      expect(reply.body).to.deep.equal({
        code: 404,
        title: 'Not Found',
        explanation: 'The resource could not be found.',
        error: {
          code: 404,
          message: "The cluster 'x' could not be found.",
          type: 'ResourceNotFound',
        },
      });
    });
  });
});
