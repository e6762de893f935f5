// Tests the proxy API for images and their metadata.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { act, admin, imageId, madeServer } from '../servers/makers.ts';
import { ask, config, expectFault, member, someone } from '../support.ts';

interface Image {
  readonly id: string;
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly [field: string]: unknown;
}

const imagesOf = ({ body }: supertest.Response): Image[] => (body as { images: Image[] }).images;

onEachDatabase('compute: images', config, (world) => {
  /** Creates an image of the project demo. @returns its id */
  const madeImage = async (fields: object): Promise<string> => {
    const reply = await world.ask('image', 'POST', '/image/v2/images', { ...member, body: fields });
    expect(reply.status, reply.text).to.equal(201);
    return (reply.body as { id: string }).id;
  };
  const list = (query: string, as: Asked = member): supertest.Test =>
    ask(world, 'GET', `/images${query}`, as);
  const namesOf = async (query: string, as?: Asked): Promise<string[]> =>
    imagesOf(await list(query, as)).map(({ name }) => name);

  describe('GET /images', () => {
    it('lists id, name and three links', async () => {
      const [image] = imagesOf(await list('?name=cirros').expect(200));
      expect(image).to.have.all.keys('id', 'name', 'links');
      expect(image!['links']).to.have.length(3);
      const [self, bookmark, alternate] = image!['links'] as {
        rel: string;
        href: string;
        type?: string;
      }[];
      expect(self!.href).to.match(new RegExp(`/compute/v2.1/images/${imageId}$`));
      expect(bookmark!.href).to.match(new RegExp(`/compute/images/${imageId}$`));
      expect(alternate).to.deep.include({
        rel: 'alternate',
        type: 'application/vnd.openstack.image',
      });
      expect(alternate!.href).to.match(new RegExp(`/image/images/${imageId}$`));
    });

    it('filters by field and by metadata', async () => {
      await madeImage({
        name: 'a',
        min_ram: 5,
        min_disk: 6,
        instance_uuid: imageId,
        image_type: 'snapshot',
        colour: 'red',
      });
      await madeImage({ name: 'b' });
      expect(await namesOf('?name=a')).to.deep.equal(['a']);
      expect(await namesOf('?status=SAVING')).to.deep.equal([]);
      expect(await namesOf('?status=Queued')).to.have.members(['a', 'b']);
      expect(await namesOf(`?server=http://host/v2.1/servers/${imageId}`)).to.deep.equal(['a']);
      expect(await namesOf('?type=snapshot')).to.deep.equal(['a']);
      expect(await namesOf('?minRam=5&minDisk=6')).to.deep.equal(['a']);
      expect(await namesOf('?minRam=6')).to.deep.equal([]);
      expect(await namesOf('?property-colour=red')).to.deep.equal(['a']);
      expect(await namesOf('?changes-since=2026-11-20T12:00:00Z')).to.have.members(['a', 'b']);
      expect(await namesOf('?nonsense=1&limit=1000')).to.include.members(['a', 'b']);
    });

    it('omits private images of other projects', async () => {
      await madeImage({ name: 'a' });
      expect(await namesOf('?name=a', someone('member,reader', 'other', 'other'))).to.deep.equal(
        [],
      );
      expect(await namesOf('?name=a', admin)).to.deep.equal(['a']);
    });

    it('returns pages with links to the next', async () => {
      await madeImage({ name: 'a' });
      const first = await list('?limit=1');
      const [image] = imagesOf(first);
      const [{ href }] = (first.body as { images_links: [{ rel: string; href: string }] })
        .images_links;
      expect(href).to.match(new RegExp(`/compute/v2.1/images\\?limit=1&marker=${image!.id}$`));
      const next = imagesOf(await list(`?limit=1&marker=${image!.id}`));
      expect(next.map(({ id }) => id)).to.not.include(image!.id);
      expect((await list('?limit=1000')).body).to.have.all.keys('images');
    });

    it('reads all pages of Glance', async () => {
      for (let count = 0; count < 30; count++) await madeImage({ name: `i${count}` });
      expect(await namesOf('')).to.have.length.greaterThan(30);
    });

    it('returns 400 for invalid paging, and Glance’s errors', async () => {
      expectFault(
        await list('?limit=0'),
        400,
        'Invalid input for query parameters limit. Value: 0. 0 is less than the minimum of 1',
      );
      expectFault(
        await list('?limit=-1'),
        400,
        /^Invalid input for query parameters limit\. Value: -1\./,
      );
      expectFault(
        await list('?marker=none'),
        400,
        'HTTP 400 Bad Request: No image found with ID none',
      );
      expectFault(
        await list('?changes-since=noon'),
        400,
        /^HTTP 400 Bad Request: Bad "updated_at" query filter format/,
      );
    });

    it('returns 404 from 2.36 on', async () => {
      for (const path of ['', '/detail', `/${imageId}`])
        expectFault(
          await list(path, { ...member, version: '2.36' }),
          404,
          'The resource could not be found.',
        );
    });
  });

  describe('GET /images/detail and /images/{id}', () => {
    it('show all fields of an image', async () => {
      const id = await madeImage({
        name: 'a',
        min_ram: 5,
        colour: 'red',
        auto_disk_config: 'True',
        mappings: '[{"a": 1}]',
      });
      const shown = (await ask(world, 'GET', `/images/${id}`, member).expect(200)).body as {
        image: Image;
      };
      expect(shown.image).to.deep.include({
        id,
        name: 'a',
        minRam: 5,
        minDisk: 0,
        metadata: { colour: 'red', auto_disk_config: 'True', mappings: [{ a: 1 }] },
        created: '2026-11-20T12:00:00Z',
        updated: '2026-11-20T12:00:00Z',
        status: 'SAVING',
        progress: 25,
        'OS-EXT-IMG-SIZE:size': 0,
        'OS-DCF:diskConfig': 'AUTO',
      });
      expect(imagesOf(await list('/detail?name=a'))).to.deep.equal([shown.image]);
    });

    it('show the server of a snapshot', async () => {
      const { id } = await madeServer(world);
      await act(world, id, { createImage: { name: 'snap' } });
      const [image] = imagesOf(await list('/detail?name=snap', admin));
      expect(image!['server']).to.have.property('id', id);
      expect(image).to.deep.include({ status: 'ACTIVE', progress: 100 });
    });

    it('return 404 for unknown images and those of others', async () => {
      expectFault(await ask(world, 'GET', '/images/none', member), 404, 'Image not found.');
      const id = await madeImage({ name: 'a', visibility: 'private' });
      expectFault(
        await ask(world, 'GET', `/images/${id}`, someone('reader', 'other', 'other')),
        404,
        'Image not found.',
      );
    });
  });

  describe('DELETE /images/{id}', () => {
    it('deletes an image', async () => {
      const id = await madeImage({ name: 'a' });
      await ask(world, 'DELETE', `/images/${id}`, member).expect(204);
      expectFault(await ask(world, 'DELETE', `/images/${id}`, member), 404, 'Image not found.');
    });

    it('returns 404 for images of others, and 403 for protected ones', async () => {
      const refused = 'You are not allowed to delete the image.';
      expectFault(await ask(world, 'DELETE', `/images/${imageId}`, member), 403, refused);
      const id = await madeImage({ name: 'a', protected: true });
      expectFault(await ask(world, 'DELETE', `/images/${id}`, member), 403, refused);
    });
  });

  describe('the metadata of an image', () => {
    const metadata = async (
      method: string,
      path: string,
      body?: unknown,
      as: Asked = member,
    ): Promise<supertest.Response> =>
      ask(world, method, `/images/${path}`, {
        version: '2.38',
        ...as,
        ...(body === undefined ? {} : { body }),
      });

    it('is read, updated, replaced and deleted', async () => {
      const id = await madeImage({ name: 'a', colour: 'red', size_class: 's' });
      const path = `${id}/metadata`;
      expect((await metadata('GET', path)).body).to.deep.equal({
        metadata: { colour: 'red', size_class: 's' },
      });
      expect(
        (await metadata('POST', path, { metadata: { colour: 'blue', more: '1' } })).body,
      ).to.deep.equal({
        metadata: { colour: 'blue', size_class: 's', more: '1' },
      });
      expect((await metadata('GET', `${path}/colour`)).body).to.deep.equal({
        meta: { colour: 'blue' },
      });
      expect(
        (await metadata('PUT', `${path}/colour`, { meta: { colour: 'green' } })).body,
      ).to.deep.equal({
        meta: { colour: 'green' },
      });
      expect((await metadata('PUT', path, { metadata: { only: 'this' } })).body).to.deep.equal({
        metadata: { only: 'this' },
      });
      expect((await metadata('GET', path)).body).to.deep.equal({ metadata: { only: 'this' } });
      expect((await metadata('DELETE', `${path}/only`)).status).to.equal(204);
      expect((await metadata('GET', path)).body).to.deep.equal({ metadata: {} });
    });

    it('returns 404 for unknown images and keys', async () => {
      const id = await madeImage({ name: 'a' });
      expectFault(
        await metadata('GET', `${id}/metadata/none`),
        404,
        'The resource could not be found.',
      );
      expectFault(await metadata('DELETE', `${id}/metadata/none`), 404, 'Invalid metadata key');
      expectFault(await metadata('GET', 'none/metadata'), 404, 'Image not found.');
      expectFault(
        await metadata('POST', 'none/metadata', { metadata: {} }),
        404,
        'Image not found.',
      );
    });

    it('returns errors for invalid bodies, too many items, and images of others', async () => {
      const id = await madeImage({ name: 'a' });
      expectFault(
        await metadata('PUT', `${id}/metadata/a`, { meta: { b: 'c' } }),
        400,
        'Request body and URI mismatch',
      );
      expectFault(
        await metadata('PUT', `${id}/metadata/a`, { meta: {} }),
        400,
        /does not have enough properties/,
      );
      expectFault(
        await metadata('POST', `${id}/metadata`, { metadata: { a: 'x'.repeat(256) } }),
        400,
        /is too long/,
      );
      const many = Object.fromEntries(
        Array.from({ length: 129 }, (_, index) => [`k${index}`, 'v']),
      );
      expectFault(
        await metadata('PUT', `${id}/metadata`, { metadata: many }),
        403,
        'Image metadata limit exceeded',
      );
      const others = `Not authorized for image ${imageId}.`;
      expectFault(
        await metadata('POST', `${imageId}/metadata`, { metadata: { a: 'b' } }),
        403,
        others,
      );
      expectFault(
        await metadata('POST', `${id}/metadata`, { metadata: { status: 'active' } }),
        403,
        `Not authorized for image ${id}.`,
      );
    });

    it('returns 404 from 2.39 on', async () => {
      expectFault(
        await metadata('GET', `${imageId}/metadata`, undefined, { ...member, version: '2.39' }),
        404,
        'The resource could not be found.',
      );
    });
  });
});
