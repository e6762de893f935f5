// Tests of the header X-Cumulet-Import, with which an administrator creates a resource that has an
// id, an owner and an age already.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';

type Json = Record<string, any>; // eslint-disable-line

onEachDatabase('the header X-Cumulet-Import', { auth: 'noauth2', hosts: '1' }, (world) => {
  const id = '5c5a0d2e-8b0f-4f63-9d5c-0c2f4f4f1a11';
  const value = { id, project_id: 'acme', user_id: 'alice', created_at: 1_700_000_000_000_000 };
  const send = (
    service: 'compute' | 'volume',
    path: string,
    body: Json,
    { header = JSON.stringify(value), roles = 'admin', token = 'admin' } = {},
  ) =>
    world.ask(service, 'POST', path, {
      version: service === 'compute' ? '2.90' : '3.50',
      token,
      headers: { 'x-cumulet-import': header, 'x-roles': roles },
      body,
    });
  const servers = '/compute/v2.1/servers';
  const server = async (): Promise<Json> => {
    const { body } = await world.ask('image', 'GET', '/image/v2/images');
    const [image] = (body as Json)['images'] as Json[];
    return { server: { name: 'vm', imageRef: image!['id'], flavorRef: '1', networks: 'none' } };
  };
  const show = async (): Promise<Json> =>
    ((await world.ask('compute', 'GET', `${servers}/${id}`).expect(200)).body as Json)['server'];

  it('creates a server with its id, owner and time of creation', async () => {
    await send('compute', servers, await server()).expect(202);
    expect(await show()).to.include({
      id,
      tenant_id: 'acme',
      user_id: 'alice',
      created: '2023-11-14T22:13:20Z',
      status: 'ACTIVE',
    });
    await send('compute', servers, await server()).expect(409);
  });

  it('creates a server again whose id a deleted one had', async () => {
    await send('compute', servers, await server()).expect(202);
    await world.ask('compute', 'DELETE', `${servers}/${id}`).expect(204);
    await send('compute', servers, await server()).expect(202);
    expect(await show()).to.include({ id, status: 'ACTIVE' });
  });

  it('creates a volume and a server group', async () => {
    const volume = await send('volume', '/volume/v3/volumes', { volume: { size: 1 } }).expect(202);
    expect((volume.body as Json)['volume']).to.include({ id, user_id: 'alice' });
    await send('volume', '/volume/v3/volumes', { volume: { size: 1 } }).expect(409);
    const body = { server_group: { name: 'g', policy: 'affinity' } };
    const group = await send('compute', '/compute/v2.1/os-server-groups', body).expect(200);
    expect((group.body as Json)['server_group']).to.include({ id, project_id: 'acme' });
    await send('compute', '/compute/v2.1/os-server-groups', body).expect(409);
  });

  it('is ignored if a tenant sends it', async () => {
    const tenant = { roles: 'member,reader', token: 'bob:bolts' };
    const { body } = await send('compute', servers, await server(), tenant).expect(202);
    expect((body as Json)['server']['id']).not.to.equal(id);
  });

  it('returns 400 if it is invalid', async () => {
    for (const header of ['x', '{}', '[]', JSON.stringify({ ...value, id: 'x' })])
      await send('compute', servers, await server(), { header }).expect(400);
  });
});
