// Tests the limits of projects that Keystone keeps.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';
import { octets, said } from './support.ts';

onEachDatabase('limits of images', { auth: 'noauth2' }, (world) => {
  const identity = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const reply = await world
      .ask('identity', 'POST', `/identity/v3/${path}`, { token: 'admin', body })
      .expect(201);
    return reply.body as Record<string, unknown>;
  };
  let projectId: string;
  let serviceId: string;

  beforeEach(async () => {
    const { body } = await world
      .ask('identity', 'GET', '/identity/v3/services?type=image', { token: 'admin' })
      .expect(200);
    serviceId = body.services[0].id as string;
    const { project } = await identity('projects', { project: { name: 'limited' } });
    projectId = (project as { id: string }).id;
    await register({ image_count_total: 2, image_size_total: 1, image_stage_total: 1 });
    await world.http
      .put('/_emulator/image/settings')
      .send({ use_keystone_limits: true })
      .expect(200);
  });

  const register = (defaults: Readonly<Record<string, number>>) =>
    identity('registered_limits', {
      registered_limits: Object.entries(defaults).map(([name, limit]) => ({
        service_id: serviceId,
        region_id: 'RegionOne',
        resource_name: name,
        default_limit: limit,
      })),
    });

  const ask = (method: string, path: string, body?: unknown, headers = {}) => {
    const { token, headers: roles } = someone('member,reader', 'carol', projectId);
    return world.ask('image', method, `/image/v2/${path}`, {
      token,
      headers: { accept: 'application/json', ...roles, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  };
  const create = () =>
    ask('POST', 'images', { name: 'i', disk_format: 'raw', container_format: 'bare' });
  const put = (id: unknown, what: string, data = 'x') =>
    ask('PUT', `images/${String(id)}/${what}`, data, octets);
  const usage = async (): Promise<Record<string, { usage: number; limit: number }>> =>
    (await ask('GET', 'info/usage').expect(200)).body.usage as Record<
      string,
      { usage: number; limit: number }
    >;

  it('hold for the number of images, with the default or the limit of the project', async () => {
    await create().expect(201);
    await create().expect(201);
    expect(said(await create().expect(413))).to.match(
      /Resource image_count_total is over limit of 2 due to current usage 2 and delta 1/,
    );
    await identity('limits', {
      limits: [
        {
          service_id: serviceId,
          region_id: 'RegionOne',
          resource_name: 'image_count_total',
          resource_limit: 3,
          project_id: projectId,
        },
      ],
    });
    await create().expect(201);
    expect(await usage()).to.deep.include({
      image_count_total: { usage: 3, limit: 3 },
      image_size_total: { usage: 0, limit: 1 },
      image_count_uploading: { usage: 0, limit: 0 },
    });
  });

  it('hold for sizes and for uploads; one that is not registered is 0', async () => {
    const { body: image } = await create().expect(201);
    expect(said(await put(image.id, 'stage').expect(413))).to.match(
      /Resource image_count_uploading is over limit of 0 due to current usage 0 and delta 1/,
    );
    await register({ image_count_uploading: 1 });
    const mebibyte = 'x'.repeat(1024 ** 2);
    await put(image.id, 'stage', mebibyte).expect(204);
    expect(await usage()).to.deep.include({
      image_stage_total: { usage: 1, limit: 1 },
      image_count_uploading: { usage: 1, limit: 1 },
    });
    const { body: other } = await create().expect(201);
    expect(said(await put(other.id, 'stage', mebibyte).expect(413))).to.match(/image_stage_total/);
    await ask('POST', `images/${String(image.id)}/import`, {
      method: { name: 'glance-direct' },
    }).expect(202);
    expect(await usage()).to.deep.include({
      image_size_total: { usage: 1, limit: 1 },
      image_stage_total: { usage: 0, limit: 1 },
    });
    expect(said(await put(other.id, 'file', mebibyte).expect(413))).to.match(/image_size_total/);
    await put(other.id, 'file').expect(204);
  });

  it('are not enforced by default, and then the usage is empty', async () => {
    await world.http
      .put('/_emulator/image/settings')
      .send({ use_keystone_limits: false })
      .expect(200);
    for (let count = 0; count < 3; count++) await create().expect(201);
    expect(await usage()).to.deep.equal({});
  });
});
