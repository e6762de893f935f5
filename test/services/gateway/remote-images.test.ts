// Tests of images that are carried to and from a pod in another process.
import { expect } from 'chai';
import { FarCloud } from './far-cloud.ts';
import type { Json } from './support.ts';

describe('gateway: images of a pod in another process', () => {
  const cloud = new FarCloud();
  const glance = '/CentralRegion/image/v2/images';
  const there = '/image/v2/images';

  const nova = (method: string, path: string, body?: unknown) =>
    cloud.ask(method, `/CentralRegion/compute/v2.1${path}`, body);
  const cinder = (method: string, path: string, body?: unknown) =>
    cloud.ask(method, `/CentralRegion/volume/v3${path}`, body);
  const boot = (imageRef: string) =>
    nova('POST', '/servers', {
      server: { name: 's', imageRef, flavorRef: '1', networks: 'none', availability_zone: 'far' },
    });
  const newVolume = async (availability_zone: string, fields: Json = {}): Promise<Json> => {
    const volume = { name: 'v', size: 1, availability_zone, ...fields };
    const { status, body } = await cinder('POST', '/volumes', { volume });
    expect(status, JSON.stringify(body)).to.equal(202);
    return body['volume'] as Json;
  };
  const newImage = async (): Promise<string> => {
    const fields = { disk_format: 'raw', container_format: 'bare', os_version: '1' };
    const { id } = (await cloud.ask('POST', glance, fields)).body as { id: string };
    const mediaType = 'application/octet-stream';
    const data = Buffer.from('data');
    const upload = await cloud.ask('PUT', `${glance}/${id}/file`, data, { mediaType });
    expect(upload.status).to.equal(204);
    return id;
  };
  const show = async (id: string): Promise<Json> =>
    (await cloud.ask('GET', `${glance}/${id}`)).body;
  const inPod = async (id: string): Promise<Json> => {
    await cloud.ask('GET', `${glance}?limit=1`); // runs the jobs of the central region
    return (await cloud.askPod('GET', `${there}/${id}`)).body;
  };
  const advance = (seconds: number) => cloud.ask('POST', '/_emulator/clock/advance', { seconds });

  before(async () => {
    await cloud.start();
    await cloud.addPod('RegionOne', 'near');
  });
  after(() => cloud.stop());

  it('boots a server from a central image, whose changes the copy follows', async () => {
    const id = await newImage();
    expect((await boot(id)).status).to.equal(202);
    expect(await inPod(id)).to.include({ status: 'active', os_version: '1' });
    expect((await inPod(id))['checksum']).to.equal((await show(id))['checksum']);
    const mediaType = 'application/openstack-images-v2.1-json-patch';
    const changes = [
      { op: 'replace', path: '/os_version', value: '2' },
      { op: 'replace', path: '/min_ram', value: 64 },
    ];
    expect((await cloud.ask('PATCH', `${glance}/${id}`, changes, { mediaType })).status).to.equal(
      200,
    );
    expect(await inPod(id)).to.include({ os_version: '2', min_ram: 64 });
    await cloud.ask('POST', `${glance}/${id}/actions/deactivate`);
    expect(await inPod(id)).to.include({ status: 'deactivated' });
    expect((await cloud.ask('DELETE', `${glance}/${id}`)).status).to.equal(204);
    expect(await inPod(id)).not.to.have.property('id');
  });

  it('deletes a copy after the pod was down', async () => {
    const id = await newImage();
    expect((await boot(id)).status).to.equal(202);
    await cloud.pod.kill();
    expect((await cloud.ask('DELETE', `${glance}/${id}`)).status).to.equal(204);
    expect((await cloud.ask('GET', glance)).status).to.equal(200);
    await cloud.startPod();
    await advance(600);
    expect(await inPod(id)).not.to.have.property('id');
  });

  it('shows the images of servers and volumes at the centre', async () => {
    const cirros = (await cloud.ask('GET', `${glance}?name=cirros`)).body['images'][0].id as string;
    const { server } = (await boot(cirros)).body;
    const snap = await nova('POST', `/servers/${server.id}/action`, {
      createImage: { name: 'snap' },
    });
    const snapshot = await show(snap.body['image_id'] as string);
    expect(snapshot).to.include({ status: 'active', name: 'snap' });
    const { id } = await newVolume('far');
    const made = await cinder('POST', `/volumes/${id}/action`, {
      'os-volume_upload_image': { image_name: 'disk' },
    });
    const disk = await show(made.body['os-volume_upload_image'].image_id as string);
    expect(disk).to.include({ status: 'active', name: 'disk', size: 1024 ** 3, min_disk: 1 });
    for (const imageRef of [snapshot['id'], disk['id']]) {
      const near = await newVolume('near', { imageRef, size: 2 });
      const { body } = await cinder('GET', `/volumes/${near['id']}`);
      expect(body['volume']).to.include({ status: 'available', bootable: 'true' });
    }
  });

  it('boots a server from the image of a volume in another pod', async () => {
    const { id } = await newVolume('near');
    const made = await cinder('POST', `/volumes/${id}/action`, {
      'os-volume_upload_image': { image_name: 'disk' },
    });
    const image = made.body['os-volume_upload_image'].image_id as string;
    expect((await boot(image)).status).to.equal(202);
    expect(await inPod(image)).to.include({ status: 'active', min_disk: 1 });
    expect((await boot(image)).status).to.equal(202);
  });

  it('completes the image of a server after the pod died with the reply', async () => {
    const cirros = (await cloud.ask('GET', `${glance}?name=cirros`)).body['images'][0].id as string;
    const { server } = (await boot(cirros)).body;
    let killed: Promise<unknown> | undefined;
    cloud.proxy.dropsReplyTo = {
      request: `POST /compute/v2.1/servers/${server.id}/action `,
      after: () => void (killed = cloud.pod.kill()),
    };
    const lost = await nova('POST', `/servers/${server.id}/action`, {
      createImage: { name: 'lost' },
    });
    expect(lost.status).to.equal(504);
    await killed;
    await cloud.startPod();
    await advance(600);
    const { images } = (await cloud.ask('GET', `${glance}?name=lost`)).body;
    expect((images as Json[]).map(({ status }) => status)).to.deep.equal(['active']);
  });
});
