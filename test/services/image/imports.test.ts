// Tests imports: from the staging area, from web servers, and to other stores; and the tasks that
// do them.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SECOND } from '../../../src/kernel/clock.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { outboxSettled } from '../../support/nova.ts';
import { ask, make, octets, said, upload, type Person } from './support.ts';

const config = { auth: 'noauth2', latency: { 'image.import': 60 * SECOND } } as const;

onEachDatabase('imports of images', config, (world) => {
  const set = (settings: object) =>
    world.http.put('/_emulator/image/settings').send(settings).expect(200);
  const advance = (seconds: number) =>
    world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);
  const stage = (id: string, who: Person = 'alice') =>
    ask(world, who, 'PUT', `/v2/images/${id}/stage`, { headers: octets, body: 'hello' });
  const start = (id: string, body: object, who: Person = 'alice', headers = {}) =>
    ask(world, who, 'POST', `/v2/images/${id}/import`, { body, headers });
  const direct = { method: { name: 'glance-direct' } };
  const copy = { method: { name: 'copy-image' } };
  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await ask(world, 'alice', 'GET', `/v2/images/${id}`).expect(200)).body as Record<
      string,
      unknown
    >;
  const taskOf = async (id: string): Promise<Record<string, unknown>> => {
    const { body } = await ask(world, 'alice', 'GET', `/v2/images/${id}/tasks`).expect(200);
    return body.tasks[0] as Record<string, unknown>;
  };

  describe('from the staging area', () => {
    it('make the image active once the time of an import has passed', async () => {
      const id = await make(world, 'alice');
      await stage(id).expect(204);
      expect(await shown(id)).to.include({ status: 'uploading', size: 5, checksum: null });
      await ask(world, 'alice', 'GET', `/v2/images/${id}/file`).expect(204);
      await start(id, direct).expect(202);
      expect(await shown(id)).to.include({
        status: 'importing',
        os_glance_importing_to_stores: 'local',
        os_glance_failed_import: '',
      });
      expect(await taskOf(id)).to.include({ type: 'api_image_import', status: 'processing' });
      expect(said(await start(id, direct).expect(409))).to.equal(
        "Image needs to be staged before 'glance-direct' method can be used",
      );
      await advance(60);
      const image = await shown(id);
      expect(image).to.include({
        status: 'active',
        size: 5,
        virtual_size: 5,
        stores: 'local',
        checksum: '5d41402abc4b2a76b9719d911017c592',
        os_glance_importing_to_stores: '',
      });
      expect(image).not.to.have.property('os_glance_import_task');
      expect(await taskOf(id)).to.deep.include({
        status: 'success',
        message: 'Copied 0 MiB',
        result: { image_id: id },
        expires_at: '2026-11-22T12:01:00.000000',
      });
      const { text } = await ask(world, 'alice', 'GET', `/v2/images/${id}/file`).expect(200);
      expect(text || 'hello').to.equal('hello');
    });

    it('need an image that was staged, and has its formats', async () => {
      const id = await make(world, 'alice');
      expect(said(await start(id, direct).expect(409))).to.equal(
        "Image needs to be staged before 'glance-direct' method can be used",
      );
      await stage(id, 'bob').expect(404);
      await stage(id).expect(204);
      expect(said(await stage(id).expect(409))).to.equal(
        'Image status transition from uploading to uploading is not allowed',
      );
      expect(said(await upload(world, 'alice', id, 'x').expect(409))).to.equal(
        'Image status transition from uploading to saving is not allowed',
      );
      const bare = await make(world, 'alice', { disk_format: undefined });
      await stage(bare).expect(204);
      expect(said(await start(bare, direct).expect(409))).to.equal(
        "'disk_format' needs to be set before import",
      );
      for (const [body, reason] of [
        [{}, "Import request requires a 'method' field."],
        [{ method: {} }, "Import request requires a 'name' field."],
        [{ method: { name: 'ftp' } }, "Unknown import method name 'ftp'."],
        [{ ...direct, all_stores: 1 }, "'all_stores' must be boolean value only"],
      ] as const)
        expect(said(await start(id, body).expect(400))).to.equal(reason);
    });

    it('fail if the data has another format than the image', async () => {
      const id = await make(world, 'alice', { disk_format: 'qcow2' });
      await stage(id).expect(204);
      await start(id, direct).expect(202);
      await advance(60);
      expect(await shown(id)).to.include({
        status: 'queued',
        size: null,
        os_glance_failed_import: 'local',
      });
      expect(await taskOf(id)).to.include({
        status: 'failure',
        message: 'Task failed due to Internal Error',
      });
      await stage(id).expect(204);
    });

    it('end with a failed task if the image is deleted meanwhile', async () => {
      const id = await make(world, 'alice');
      await stage(id).expect(204);
      await start(id, direct).expect(202);
      await ask(world, 'alice', 'DELETE', `/v2/images/${id}`).expect(204);
      await advance(60);
      const { body } = await ask(world, 'admin', 'GET', '/v2/tasks').expect(200);
      expect(body.tasks[0]).to.include({ status: 'failure' });
    });
  });

  describe('to stores', () => {
    beforeEach(() => set({ stores: ['fast', 'slow'] }));

    it('reach those that the request names', async () => {
      const named = await make(world, 'alice');
      await stage(named).expect(204);
      await start(named, { ...direct, stores: ['slow'] }).expect(202);
      const all = await make(world, 'alice');
      await stage(all).expect(204);
      await start(all, { ...direct, all_stores: true }).expect(202);
      await advance(60);
      expect(await shown(named)).to.include({ stores: 'slow' });
      expect(await shown(all)).to.include({ stores: 'fast,slow' });
      const id = await make(world, 'alice');
      const store = { ...octets, 'x-image-meta-store': 'nope' };
      const refusal = await ask(world, 'alice', 'PUT', `/v2/images/${id}/file`, {
        headers: store,
        body: 'x',
      }).expect(400);
      expect(said(refusal)).to.equal('Store for identifier nope not found');
      await set({ http_store: true });
      const gone = await ask(world, 'alice', 'PUT', `/v2/images/${id}/file`, {
        headers: { ...octets, 'x-image-meta-store': 'web' },
        body: 'x',
      }).expect(410);
      expect(said(gone)).to.equal(
        'Error in store configuration. Adding images to store is disabled.',
      );
    });

    it('copy data for administrators, one import at a time, and delete it again', async () => {
      const id = await make(world, 'alice');
      await upload(world, 'alice', id, 'data').expect(204);
      expect(said(await start(id, copy).expect(403))).to.equal(
        'You are not authorized to complete copy_image action.',
      );
      expect(said(await start(id, copy, 'admin').expect(400))).to.equal(
        "Image is already present at store 'fast'",
      );
      expect(said(await start(id, { ...copy, stores: ['x'] }, 'admin').expect(409))).to.equal(
        'Store for identifier x not found',
      );
      await start(id, { ...copy, stores: ['slow'] }, 'admin').expect(202);
      expect(await shown(id)).to.include({
        status: 'active',
        stores: 'fast',
        os_glance_importing_to_stores: 'slow',
      });
      expect(said(await start(id, { ...copy, stores: ['slow'] }, 'admin').expect(409))).to.equal(
        'Image has active task',
      );
      await advance(60);
      expect(await shown(id)).to.include({ stores: 'fast,slow' });
      const remove = (store: string, who: Person = 'admin') =>
        ask(world, who, 'DELETE', `/v2/stores/${store}/${id}`);
      await remove('fast', 'alice').expect(403);
      expect(said(await remove('x').expect(409))).to.equal(
        'The selected store x is not available on this node.',
      );
      await remove('fast').expect(204);
      expect(await shown(id)).to.include({ stores: 'slow' });
      expect(said(await remove('slow').expect(403))).to.match(/^Cannot delete image data from the/);
    });

    it('are listed for everyone, and with details for administrators', async () => {
      await set({ http_store: true });
      const { body } = await ask(world, 'bob', 'GET', '/v2/info/stores').expect(200);
      expect(body.stores).to.deep.equal([
        { id: 'fast', default: 'true' },
        { id: 'slow' },
        { id: 'web', 'read-only': 'true' },
      ]);
      await ask(world, 'bob', 'GET', '/v2/info/stores/detail').expect(403);
      const { body: details } = await ask(world, 'admin', 'GET', '/v2/info/stores/detail').expect(
        200,
      );
      expect(details.stores[1]).to.deep.include({ id: 'slow', type: 'file' });
      await set({ enabled_import_methods: ['copy-image'] });
      const methods = await ask(world, 'bob', 'GET', '/v2/info/import').expect(200);
      expect(methods.body['import-methods'].value).to.deep.equal(['copy-image']);
      const { headers } = await ask(world, 'bob', 'POST', '/v2/images', { body: {} }).expect(201);
      expect(headers).to.include({
        'openstack-image-import-methods': 'copy-image',
        'openstack-image-store-ids': 'fast,slow,web',
      });
    });
  });

  describe('tasks', () => {
    it('expire two days after their end', async () => {
      const id = await make(world, 'alice');
      await stage(id).expect(204);
      await start(id, direct).expect(202);
      await advance(60);
      const { id: taskId } = await taskOf(id);
      const find = () => ask(world, 'admin', 'GET', `/v2/tasks/${String(taskId)}`);
      expect((await find().expect(200)).body).to.include({ owner: 'blue', status: 'success' });
      await advance(48 * 3600 - 1);
      await find().expect(200);
      await advance(1);
      expect(said(await find().expect(404))).to.equal(`Could not find task ${String(taskId)}`);
      const { body } = await ask(world, 'admin', 'GET', '/v2/tasks').expect(200);
      expect(body.tasks).to.deep.equal([]);
      await advance(1);
      const purge = await world.http.post('/_emulator/purge').send({}).expect(200);
      expect(purge.body.purged).to.include({ image: 1 });
    });

    it('are for administrators, who list them page by page and cannot delete them', async () => {
      for (let count = 0; count < 3; count++)
        await ask(world, 'admin', 'POST', '/v2/tasks', {
          body: { type: 'api_image_import', input: {} },
        }).expect(201);
      const { body } = await ask(world, 'admin', 'GET', '/v2/tasks?limit=2').expect(200);
      expect(body.tasks).to.have.length(2);
      const next = await ask(world, 'admin', 'GET', body.next as string).expect(200);
      expect(next.body.tasks).to.have.length(1);
      const one = `/v2/tasks/${body.tasks[0].id as string}`;
      expect((await ask(world, 'admin', 'GET', one).expect(200)).body).to.include({
        status: 'failure',
        message: 'Input to api_image_import task is empty.',
      });
      expect(said(await ask(world, 'admin', 'DELETE', one).expect(405))).to.match(
        /^This operation is currently not permitted on Glance Tasks\./,
      );
      for (const path of ['/v2/tasks', one])
        expect(said(await ask(world, 'alice', 'GET', path).expect(403))).to.equal(
          'You are not authorized to complete tasks_api_access action.',
        );
      for (const [query, reason] of [
        ['status=x', 'Invalid status value: x'],
        ['type=api_image_import', 'Invalid type value: api_image_import'],
        ['marker=x', 'Invalid marker format'],
        ['sort_key=x', 'Sort key supplied was not valid.'],
      ] as const)
        expect(said(await ask(world, 'admin', 'GET', `/v2/tasks?${query}`).expect(400))).to.equal(
          reason,
        );
    });
  });

  describe('from web servers', () => {
    let server: Server;
    let origin: string;

    beforeEach(async () => {
      server = createServer((request, response) => {
        if (request.url === '/disk') response.end('hello');
        else if (request.url === '/moved') response.writeHead(302, { location: '/disk' }).end();
        else if (request.url === '/away')
          response.writeHead(302, { location: 'http://localhost:1/disk' }).end();
        else response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      origin = `http://127.0.0.1:${port}`;
      await set({ allowed_hosts: ['127.0.0.1'], allowed_ports: [port] });
    });

    afterEach(() => new Promise<void>((resolve) => void server.close(() => resolve())));

    const web = (uri: string) => ({ method: { name: 'web-download', uri } });
    /** The task of an image after its download. */
    const ended = async (id: string): Promise<Record<string, unknown>> => {
      await shown(id);
      await outboxSettled(world);
      return taskOf(id);
    };

    it('download the data, also through redirects', async () => {
      for (const path of ['/disk', '/moved']) {
        const id = await make(world, 'alice');
        await start(id, web(origin + path)).expect(202);
        expect(await ended(id)).to.include({ status: 'success' });
        expect(await shown(id)).to.include({ status: 'active', size: 5 });
      }
    });

    it('leave the image queued if the server has no data, or redirects elsewhere', async () => {
      for (const path of ['/nothing', '/away']) {
        const id = await make(world, 'alice');
        await start(id, web(origin + path)).expect(202);
        expect(await ended(id)).to.include({ status: 'failure' });
        expect(await shown(id)).to.include({ status: 'queued', os_glance_failed_import: 'local' });
      }
    });

    it('ask only hosts and ports that the settings allow', async () => {
      const id = await make(world, 'alice');
      for (const uri of [
        'http://127.0.0.1:1/disk',
        'http://example.org/disk',
        'ftp://127.0.0.1/disk',
        'disk',
      ])
        expect(said(await start(id, web(uri)).expect(400))).to.equal(
          `URI for web-download does not pass filtering: ${uri}`,
        );
      await set({ allowed_hosts: [] });
      await start(id, web(`${origin}/disk`)).expect(400);
    });

    it('create the image of a legacy task', async () => {
      const create = async (fields: object, path = '/disk'): Promise<Record<string, unknown>> => {
        const input = {
          import_from: origin + path,
          import_from_format: 'raw',
          image_properties: { name: 'legacy', ...fields },
        };
        const { body } = await ask(world, 'admin', 'POST', '/v2/tasks', {
          body: { type: 'import', input },
        }).expect(201);
        const task = `/v2/tasks/${body.id as string}`;
        await ask(world, 'admin', 'GET', task).expect(200);
        await outboxSettled(world);
        const found = await ask(world, 'admin', 'GET', task).expect(200);
        return found.body as Record<string, unknown>;
      };
      const formats = { disk_format: 'raw', container_format: 'bare' };
      const { status, result } = await create({ ...formats, colour: 'red' });
      expect(status).to.equal('success');
      const path = `/v2/images/${(result as { image_id: string }).image_id}`;
      expect((await ask(world, 'admin', 'GET', path).expect(200)).body).to.include({
        name: 'legacy',
        colour: 'red',
        status: 'active',
        size: 5,
      });
      for (const fields of [{}, { ...formats, min_disk: 'x' }, { ...formats, os_glance_x: 'y' }])
        expect(await create(fields)).to.include({ status: 'failure' });
      expect(await create(formats, '/nothing')).to.include({ status: 'failure' });
    });

    it('add a location to an image without data', async () => {
      const add = (id: string, body: object, who: Person = 'alice') =>
        ask(world, who, 'POST', `/v2/images/${id}/locations`, { body });
      const id = await make(world, 'alice');
      const url = `${origin}/disk`;
      expect(said(await add(id, { url }).expect(403))).to.equal(
        'http store must be enabled to use location API by normal user.',
      );
      await set({ http_store: true });
      const hash = { os_hash_algo: 'md5', os_hash_value: '5d41402abc4b2a76b9719d911017c592' };
      expect(
        said(await add(id, { url, validation_data: { ...hash, os_hash_value: 'ab' } }).expect(400)),
      ).to.equal('os_hash_value: (ab) is not the correct size for (md5) (should be (16) bytes)');
      await add(id, { url, validation_data: hash }).expect(202);
      expect(await ended(id)).to.include({ type: 'location_import', status: 'success' });
      expect(await shown(id)).to.include({ status: 'active', stores: 'web', os_hash_algo: 'md5' });
      const { body } = await ask(world, 'admin', 'GET', `/v2/images/${id}/locations`).expect(200);
      expect(body).to.deep.equal([{ url, metadata: { store: 'web' } }]);
      await ask(world, 'alice', 'GET', `/v2/images/${id}/locations`).expect(403);
      const other = await make(world, 'alice');
      const wrong = { ...hash, os_hash_value: '0'.repeat(32) };
      await add(other, { url, validation_data: wrong }).expect(202);
      expect(await ended(other)).to.include({ status: 'failure' });
      expect(await shown(other)).to.include({ status: 'queued', size: null });
    });
  });

  it('are counted in the cache as they are downloaded', async () => {
    const id = await make(world, 'alice');
    await upload(world, 'alice', id, 'data').expect(204);
    const cached = async (): Promise<Record<string, unknown>> =>
      (await ask(world, 'admin', 'GET', '/v2/cache').expect(200)).body as Record<string, unknown>;
    const hits = async (): Promise<unknown[]> =>
      ((await cached())['cached_images'] as { hits: number }[]).map((one) => one.hits);
    const download = () => ask(world, 'alice', 'GET', `/v2/images/${id}/file`).expect(200);
    await download();
    expect(await hits()).to.deep.equal([0]);
    await download();
    expect(await hits()).to.deep.equal([1]);
    await ask(world, 'admin', 'DELETE', `/v2/cache/${id}`).expect(204);
    await ask(world, 'admin', 'PUT', `/v2/cache/${id}`).expect(202);
    expect(await cached()).to.deep.include({ queued_images: [] });
    expect(await hits()).to.deep.equal([0]);
    await set({ image_cache_max_size: 3 });
    const { body } = await ask(world, 'admin', 'POST', '/v2/cache/prune').expect(200);
    expect(body).to.deep.equal({ total_files_pruned: 1, total_bytes_pruned: 4 });
    await download();
    await ask(world, 'alice', 'DELETE', `/v2/images/${id}`).expect(204);
    expect(await hits()).to.deep.equal([]);
    await ask(world, 'alice', 'GET', '/v2/cache').expect(403);
    await set({ image_cache: false });
    expect(said(await ask(world, 'admin', 'GET', '/v2/cache').expect(404))).to.equal(
      'Caching via API is not supported at this site.',
    );
  });
});

onEachDatabase(
  'imports of images that take hours',
  { auth: 'noauth2', latency: { 'image.import': 7200 * SECOND } },
  (world) => {
    it('give way to another import after an hour without progress', async () => {
      await world.http
        .put('/_emulator/image/settings')
        .send({ stores: ['fast', 'slow'] })
        .expect(200);
      const advance = (seconds: number) =>
        world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);
      const id = await make(world, 'alice');
      await upload(world, 'alice', id, 'data').expect(204);
      const start = () =>
        ask(world, 'admin', 'POST', `/v2/images/${id}/import`, {
          body: { method: { name: 'copy-image' }, stores: ['slow'] },
        });
      await start().expect(202);
      await advance(3599);
      expect(said(await start().expect(409))).to.equal('Image has active task');
      await advance(1);
      await start().expect(202);
      await advance(7200);
      const { body } = await ask(world, 'alice', 'GET', `/v2/images/${id}/tasks`).expect(200);
      expect(
        body.tasks.map((task: { status: string; message: string }) => [task.status, task.message]),
      ).to.deep.equal([
        ['success', 'Copied 0 MiB'],
        ['failure', 'Expired lock preempted'],
      ]);
      const image = await ask(world, 'alice', 'GET', `/v2/images/${id}`).expect(200);
      expect(image.body).to.include({ stores: 'fast,slow' });
    });
  },
);
