// Tests version discovery, microversions, and the project in the path.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, createVolume, messageOf, newest } from './support.ts';

onEachDatabase('versions of Volume', { auth: 'noauth2' }, (world) => {
  describe('GET / and GET /v3', () => {
    it('returns 300 at the root without a token, and the same body with 200 at /v3', async () => {
      const reply = await world.ask('volume', 'GET', '/volume', { token: null }).expect(300);
      expect(reply.body.versions[0]).to.include({
        id: 'v3.0',
        version: newest,
        min_version: '3.0',
        status: 'CURRENT',
      });
      expect((await ask(world, 'reader', 'GET', '/').expect(200)).body).to.deep.equal(reply.body);
    });

    it('returns 401 at /v3 without a token', async () => {
      await world.ask('volume', 'GET', '/volume/v3/', { token: null }).expect(401);
    });
  });

  describe('OpenStack-API-Version', () => {
    it('is repeated in the reply, with a vary header', async () => {
      const reply = await ask(world, 'alice', 'GET', '/volumes', { version: '3.5' }).expect(200);
      expect(reply.headers).to.include({
        'openstack-api-version': 'volume 3.5',
        vary: 'openstack-api-version',
      });
    });

    it('defaults to 3.0', async () => {
      const reply = await world.ask('volume', 'GET', '/volume/v3/volumes').expect(200);
      expect(reply.headers['openstack-api-version']).to.equal('volume 3.0');
    });

    it('returns 406 for an unsupported version', async () => {
      const unknown = await ask(world, 'alice', 'GET', '/volumes', { version: '3.99' }).expect(406);
      expect(messageOf(unknown)).to.equal(
        `Version 3.99 is not supported by the API. Minimum is 3.0 and maximum is ${newest}.`,
      );
    });

    it('returns 400 for a malformed version', async () => {
      const malformed = await ask(world, 'alice', 'GET', '/volumes', { version: 'x' }).expect(400);
      expect(messageOf(malformed)).to.contain('is of invalid format');
    });

    it('is read from the first entry that contains `volume`', async () => {
      const negotiated = async (header: string): Promise<unknown> =>
        (
          await ask(world, 'alice', 'GET', '/volumes', {
            version: '',
            headers: { 'openstack-api-version': header },
          }).expect(200)
        ).headers['openstack-api-version'];
      expect(await negotiated('volumev3 3.27')).to.equal('volume 3.27');
      expect(await negotiated('compute 2.1, volumev3 latest')).to.equal(`volume ${newest}`);
      expect(await negotiated('volume 3.5, volume 3.6')).to.equal('volume 3.5');
    });

    it('returns 400 for a header without a well-formed entry for `volume`', async () => {
      for (const header of ['compute 2.1', 'volume', 'volume 3.5 now'])
        await ask(world, 'alice', 'GET', '/volumes', {
          version: '',
          headers: { 'openstack-api-version': header },
        }).expect(400);
    });
  });

  describe('/v3/{project_id}', () => {
    it('appears in links if the path of the request has it', async () => {
      const id = await createVolume(world, 'alice');
      const { links } = (await ask(world, 'alice', 'GET', `/b1/volumes/${id}`).expect(200)).body
        .volume as { links: { href: string }[] };
      expect(links[0]!.href).to.match(new RegExp(`/volume/v3/b1/volumes/${id}$`));
      expect(links[1]!.href).to.match(new RegExp(`/volume/b1/volumes/${id}$`));
    });

    it('returns 400 for a project other than the caller’s', async () => {
      const id = await createVolume(world, 'alice');
      const refused = await ask(world, 'alice', 'GET', `/b2/volumes/${id}`).expect(400);
      expect(messageOf(refused)).to.equal('Malformed request url');
    });

    it('returns 404 for an unknown path below it', async () => {
      await ask(world, 'alice', 'GET', '/b1/nothing').expect(404);
    });
  });
});
