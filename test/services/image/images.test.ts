// Tests images: create, show, update, delete.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, patch, patchType, said, upload } from './support.ts';

const id = '5c1f8b60-0000-4000-8000-000000000001';

onEachDatabase('images', { auth: 'noauth2' }, (world) => {
  describe('GET / and GET /versions', () => {
    it('lists the versions without a token, with status 300 and 200', async () => {
      const choice = await world.ask('image', 'GET', '/image', { token: null }).expect(300);
      const list = await world.ask('image', 'GET', '/image/versions', { token: null }).expect(200);
      expect(choice.body).to.deep.equal(list.body);
      expect(list.body.versions[0]).to.include({ id: 'v2.18', status: 'CURRENT' });
      expect(list.body.versions[0].links[0].href).to.match(/\/image\/v2\/$/);
    });

    it('lists the versions at any path without a version', async () => {
      await world.ask('image', 'GET', '/image/v7/images', { token: null }).expect(300);
    });
  });

  describe('POST /v2/images', () => {
    it('creates an image with custom properties', async () => {
      const body = {
        id,
        name: 'one',
        visibility: 'private',
        tags: ['b', 'a', 'b'],
        min_ram: 64,
        os_distro: 'debian',
      };
      const reply = await ask(world, 'alice', 'POST', '/v2/images', { body }).expect(201);
      expect(reply.headers['location']).to.match(new RegExp(`/image/v2/images/${id}$`));
      expect(reply.body).to.deep.equal({
        id,
        name: 'one',
        status: 'queued',
        visibility: 'private',
        owner: 'blue',
        tags: ['a', 'b'],
        min_ram: 64,
        min_disk: 0,
        protected: false,
        os_hidden: false,
        size: null,
        virtual_size: null,
        checksum: null,
        os_hash_algo: null,
        os_hash_value: null,
        container_format: null,
        disk_format: null,
        os_distro: 'debian',
        created_at: '2026-11-20T12:00:00Z',
        updated_at: '2026-11-20T12:00:00Z',
        self: `/v2/images/${id}`,
        file: `/v2/images/${id}/file`,
        schema: '/v2/schemas/image',
      });
    });

    it('creates a shared image if the body has no visibility', async () => {
      const reply = await ask(world, 'alice', 'POST', '/v2/images', { body: {} }).expect(201);
      expect(reply.body).to.include({ visibility: 'shared', name: null });
    });

    it('returns 409 for an id that exists', async () => {
      await make(world, 'alice', { id });
      expect(
        said(await ask(world, 'alice', 'POST', '/v2/images', { body: { id } }).expect(409)),
      ).to.equal(`Image ID ${id} already exists!`);
    });

    it('returns 400 for a body that does not match the schema', async () => {
      const refused = await ask(world, 'alice', 'POST', '/v2/images', {
        body: { min_ram: 'x' },
      }).expect(400);
      expect(said(refused)).to.contain(
        "Provided object does not match schema 'image': 'x' is not of type 'integer'",
      );
      await ask(world, 'alice', 'POST', '/v2/images', { body: { disk_format: 'floppy' } }).expect(
        400,
      );
      await ask(world, 'alice', 'POST', '/v2/images', { body: { colour: 3 } }).expect(400);
      expect(
        said(
          await ask(world, 'alice', 'POST', '/v2/images', { body: { min_disk: -1 } }).expect(400),
        ),
      ).to.contain('Cannot be a negative value');
    });

    it('returns 403 for read-only and reserved names', async () => {
      const refusals = {
        self: 'read-only',
        size: 'read-only',
        deleted: 'reserved',
        os_glance_x: 'reserved',
      };
      for (const [name, why] of Object.entries(refusals)) {
        const body = { [name]: name === 'size' ? 1 : 'x' };
        expect(
          said(await ask(world, 'alice', 'POST', '/v2/images', { body }).expect(403)),
        ).to.equal(`Attribute '${name}' is ${why}.`);
      }
    });

    it('returns 403 for public images and for other owners, except to administrators', async () => {
      const refused = await ask(world, 'alice', 'POST', '/v2/images', {
        body: { visibility: 'public' },
      }).expect(403);
      expect(said(refused)).to.equal('You are not authorized to complete publicize_image action.');
      const other = await ask(world, 'alice', 'POST', '/v2/images', {
        body: { owner: 'red' },
      }).expect(403);
      expect(said(other)).to.equal("You are not permitted to create images owned by 'red'");
      await ask(world, 'alice', 'POST', '/v2/images', { body: { visibility: 'community' } }).expect(
        201,
      );
      await ask(world, 'admin', 'POST', '/v2/images', {
        body: { visibility: 'public', owner: 'red' },
      }).expect(201);
      await ask(world, 'reader', 'POST', '/v2/images', { body: {} }).expect(403);
    });

    it('returns 401 without a token, and 400 without a body', async () => {
      await world
        .ask('image', 'POST', '/image/v2/images', { token: null })
        .expect(401)
        .expect('www-authenticate', /Keystone uri=/);
      expect(said(await ask(world, 'alice', 'POST', '/v2/images').expect(400))).to.equal(
        'Body expected in request.',
      );
    });
  });

  describe('GET /v2/images/{image_id}', () => {
    it('shows the seeded image', async () => {
      const reply = await ask(world, 'reader', 'GET', `/v2/images/${cirrosId}`).expect(200);
      expect(reply.body).to.include({
        name: 'cirros',
        status: 'active',
        visibility: 'public',
        size: 512,
        virtual_size: 117440512,
        os_hash_algo: 'sha512',
      });
    });

    it('returns 404 for private images of others, and shared ones without membership', async () => {
      for (const visibility of ['private', 'shared']) {
        const hidden = await make(world, 'alice', { visibility });
        expect(said(await ask(world, 'bob', 'GET', `/v2/images/${hidden}`).expect(404))).to.equal(
          `No image found with ID ${hidden}`,
        );
        await ask(world, 'admin', 'GET', `/v2/images/${hidden}`).expect(200);
      }
      await ask(
        world,
        'bob',
        'GET',
        `/v2/images/${await make(world, 'alice', { visibility: 'community' })}`,
      ).expect(200);
    });

    it('renders errors as HTML or text, depending on Accept', async () => {
      const html = await ask(world, 'bob', 'GET', '/v2/images/x', {
        headers: { accept: '*/*' },
      }).expect(404);
      expect(html.text).to.equal(
        '<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n  <h1>404 Not ' +
          'Found</h1>\n  No image found with ID x<br /><br />\n\n\n\n </body>\n</html>',
      );
      const plain = await ask(world, 'bob', 'GET', '/v2/images/x', {
        headers: { accept: '' },
      }).expect(404);
      expect(plain.text).to.match(/^404 Not Found\n\nNo image found with ID x/);
    });
  });

  describe('PATCH /v2/images/{image_id}', () => {
    it('applies all operations of a patch, or none', async () => {
      const image = await make(world, 'alice', { colour: 'red' });
      await world.setTime('2026-11-20T13:00:00Z');
      const changes = [
        { op: 'replace', path: '/name', value: 'new' },
        { op: 'add', path: '/a~1b', value: 'x' },
        { op: 'remove', path: '/colour' },
        { op: 'replace', path: '/tags', value: ['t'] },
      ];
      const reply = await patch(world, 'alice', image, changes).expect(200);
      expect(reply.body).to.include({
        name: 'new',
        'a/b': 'x',
        updated_at: '2026-11-20T13:00:00Z',
        created_at: '2026-11-20T12:00:00Z',
      });
      expect(reply.body).to.not.have.property('colour');
      const refused = await patch(world, 'alice', image, [
        { op: 'replace', path: '/name', value: 'other' },
        { op: 'remove', path: '/none' },
      ]).expect(409);
      expect(said(refused)).to.equal('Property none does not exist.');
      const now = await ask(world, 'alice', 'GET', `/v2/images/${image}`);
      expect(now.body).to.deep.equal(reply.body);
    });

    it('accepts a patch of draft 4', async () => {
      const image = await make(world, 'alice', { colour: 'red' });
      const headers = { 'content-type': 'application/openstack-images-v2.0-json-patch' };
      const send = (body: object) =>
        ask(world, 'alice', 'PATCH', `/v2/images/${image}`, { headers, body });
      expect((await send([{ replace: '/colour', value: 'blue' }]).expect(200)).body).to.include({
        colour: 'blue',
      });
      expect(said(await send([{ add: '/colour', value: 'blue' }]).expect(409))).to.equal(
        'Property colour already present.',
      );
    });

    it('applies a patch that adds and removes thousands of properties', async () => {
      const image = await make(world, 'alice');
      const paths = Array.from({ length: 20_000 }, (_, index) => `/p${index}`);
      const reply = await patch(world, 'alice', image, [
        ...paths.map((path) => ({ op: 'add', path, value: 'v' })),
        ...paths.map((path) => ({ op: 'remove', path })),
        { op: 'add', path: '/last', value: 'v' },
      ]).expect(200);
      expect(reply.body).to.include({ last: 'v' }).and.not.have.property('p0');
    });

    it('returns 413 for a patch that leaves too many properties, whatever else it has', async () => {
      const image = await make(world, 'alice');
      const changes = Array.from({ length: 15_000 }, (_, index) => ({
        op: 'add',
        path: `/p${index}`,
        value: 'v',
      }));
      expect(
        said(
          await patch(world, 'alice', image, [
            ...changes,
            { op: 'replace', path: '/min_ram', value: 'x' },
          ]).expect(413),
        ),
      ).to.equal(
        'The limit has been exceeded on the number of allowed image properties. Attempted: 15000, ' +
          'Maximum: 128',
      );
    });

    it('returns 400 for a malformed patch', async () => {
      const image = await make(world, 'alice');
      const refusals: [unknown, string][] = [
        [{}, 'Request body must be a JSON array of operation objects.'],
        [['x'], 'Operations must be JSON objects.'],
        [
          [{ path: '/a' }],
          'Unable to find `op` in JSON Schema change. It must be one of the following: ' +
            'add, remove, replace.',
        ],
        [
          [{ op: 'move', path: '/a' }],
          'Invalid operation: `move`. It must be one of the following: add, remove, replace.',
        ],
        [[{ op: 'add' }], "Unable to find 'path' in JSON Schema change"],
        [[{ op: 'add', path: 'a', value: '' }], 'Pointer `a` does not start with "/".'],
        [[{ op: 'add', path: '/a//b', value: '' }], 'Pointer `/a//b` contains adjacent "/".'],
        [
          [{ op: 'add', path: '/a/b', value: '' }],
          "Invalid JSON pointer for this resource: '/a/b'",
        ],
        [[{ op: 'add', path: '/a' }], 'Operation "add" requires a member named "value".'],
      ];
      for (const [body, message] of refusals)
        expect(said(await patch(world, 'alice', image, body).expect(400))).to.equal(message);
      const type = await ask(world, 'alice', 'PATCH', `/v2/images/${image}`, { body: [] }).expect(
        415,
      );
      expect(type.headers['accept-patch']).to.contain('v2.1-json-patch');
      for (const name of ['__proto__', 'constructor'])
        await ask(world, 'alice', 'PATCH', `/v2/images/${image}`, {
          headers: { 'content-type': name },
          body: '[]',
        }).expect(415);
    });

    it('returns 403 for fields that may not change', async () => {
      const image = await make(world, 'alice');
      const refusals: [object, string][] = [
        [{ op: 'replace', path: '/id', value: id }, "Attribute 'id' is read-only."],
        [{ op: 'remove', path: '/name' }, 'Property name may not be removed.'],
        [{ op: 'replace', path: '/owner', value: 'red' }, "Owner can't be updated by non admin."],
        [
          { op: 'replace', path: '/visibility', value: 'public' },
          'You are not authorized to complete publicize_image action.',
        ],
        [
          { op: 'add', path: '/locations/-', value: { url: 'x', metadata: {} } },
          "It's not allowed to add locations if locations are invisible.",
        ],
      ];
      for (const [change, message] of refusals)
        expect(
          said(await patch(world, 'alice', image, [change]).expect(403)),
          JSON.stringify(change),
        ).to.equal(message);
      await upload(world, 'alice', image, 'data').expect(204);
      const format = await patch(world, 'alice', image, [
        { op: 'replace', path: '/disk_format', value: 'qcow2' },
      ]).expect(403);
      expect(said(format)).to.equal(
        'Attribute disk_format can be only replaced for a queued image.',
      );
    });

    it('returns 403 or 404 outside of the owner’s project', async () => {
      const image = await make(world, 'alice', { visibility: 'community' });
      const change = [{ op: 'replace', path: '/name', value: 'x' }];
      for (const who of ['bob', 'reader'] as const)
        await patch(world, who, image, change).expect(403);
      await patch(world, 'bob', await make(world, 'alice'), change).expect(404);
      await patch(world, 'admin', image, [{ op: 'replace', path: '/owner', value: 'red' }]).expect(
        200,
      );
      await patch(world, 'bob', image, change).expect(200);
    });
  });

  describe('DELETE /v2/images/{image_id}', () => {
    it('deletes the image with its data, tags, properties and members', async () => {
      const image = await make(world, 'alice', { tags: ['t'], p: 'v' });
      await ask(world, 'alice', 'POST', `/v2/images/${image}/members`, {
        body: { member: 'red' },
      }).expect(200);
      await upload(world, 'alice', image, 'data').expect(204);
      await ask(world, 'alice', 'DELETE', `/v2/images/${image}`).expect(204);
      const gone = await ask(world, 'alice', 'DELETE', `/v2/images/${image}`).expect(404);
      expect(said(gone)).to.equal(`Failed to find image ${image} to delete`);
    });

    it('returns 403 for protected images and those of others', async () => {
      const image = await make(world, 'alice', { protected: true });
      const refused = await ask(world, 'alice', 'DELETE', `/v2/images/${image}`).expect(403);
      expect(said(refused)).to.equal(`Image ${image} is protected and cannot be deleted.`);
      await patch(world, 'alice', image, [
        { op: 'replace', path: '/protected', value: false },
      ]).expect(200);
      await ask(world, 'reader', 'DELETE', `/v2/images/${image}`).expect(403);
      await ask(world, 'bob', 'DELETE', `/v2/images/${image}`).expect(404);
      await ask(world, 'alice', 'DELETE', `/v2/images/${image}`).expect(204);
    });
  });

  describe('GET /v2/schemas/image', () => {
    it('lists the fields of an image, and marks read-only ones', async () => {
      const { body } = await ask(world, 'reader', 'GET', '/v2/schemas/image').expect(200);
      expect(body).to.include({ name: 'image' });
      expect(body.properties.size).to.include({ readOnly: true });
      expect(body.properties.name).to.not.have.property('readOnly');
      expect(body.properties.disk_format.enum).to.include('qcow2');
      const list = await ask(world, 'reader', 'GET', '/v2/schemas/images').expect(200);
      expect(list.body.properties.images.items).to.deep.equal(body);
      await ask(world, 'reader', 'GET', '/v2/schemas/members').expect(200);
      await ask(world, 'reader', 'GET', '/v2/schemas/stores').expect(404);
    });
  });

  describe('GET /v2/images/{image_id}/tasks', () => {
    it('returns an empty list, or 404 if the caller does not see the image', async () => {
      const image = await make(world, 'alice', { visibility: 'private' });
      expect(
        (await ask(world, 'alice', 'GET', `/v2/images/${image}/tasks`).expect(200)).body,
      ).to.deep.equal({ tasks: [] });
      const reply = await ask(world, 'bob', 'GET', `/v2/images/${image}/tasks`).expect(404);
      expect(said(reply)).to.equal('The resource could not be found.');
    });
  });

  it('ignores a patch without operations', async () => {
    const image = await make(world, 'alice');
    await world.setTime('2026-11-20T13:00:00Z');
    const reply = await ask(world, 'alice', 'PATCH', `/v2/images/${image}`, {
      headers: patchType,
      body: [],
    }).expect(200);
    expect(reply.body.updated_at).to.equal('2026-11-20T12:00:00Z');
  });
});
