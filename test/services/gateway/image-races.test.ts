// Concurrent requests that carry the same image, through two processes on one MySQL.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';
import { requestJson as ask } from './requests.ts';
import type { Json } from './support.ts';

const regions = ['RegionOne', 'RegionTwo'];
const flags = ['--regions', `CentralRegion,${regions.join(',')}`, '--hosts', '1'];
const glance = '/CentralRegion/image/v2/images';
const nova = '/CentralRegion/compute/v2.1';
const cinder = '/CentralRegion/volume/v3';

onTwoProcesses('images through two processes on one MySQL', flags, (origins) => {
  const at = (index: number): string => origins()[index % 2]!;
  const admin = (method: string, path: string, body?: object) =>
    ask(at(0), method, path, body, { user: 'admin' });
  const times = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => run(index)));

  before(async () => {
    for (const region_name of regions)
      await admin('POST', '/tricircle/v1.0/pods', { pod: { region_name, az_name: 'az1' } });
    await admin('PUT', `${nova}/os-quota-sets/acme`, { quota_set: { instances: 100, cores: 100 } });
  });

  async function newImage(): Promise<string> {
    const fields = { name: 'own', disk_format: 'raw', container_format: 'bare', os_version: '1' };
    const { id } = await ask(at(0), 'POST', glance, fields);
    await ask(at(0), 'PUT', `${glance}/${id}/file`, randomBytes(3_000_000));
    return id as string;
  }

  const boot = (index: number, imageRef: string): Promise<Json> =>
    ask(at(index), 'POST', `${nova}/servers`, {
      server: { name: 's', imageRef, flavorRef: '1', networks: 'none' },
    });
  it('boot servers that carry the same image to the same pod for the first time', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await newImage();
      await times(6, (index) => boot(index, id));
      const central = await ask(at(0), 'GET', `${glance}/${id}`);
      const copy = await admin('GET', `/RegionOne/image/v2/images/${id}`);
      expect(copy).to.include({ status: 'active', os_version: '1', owner: 'acme' });
      expect(copy['checksum']).to.equal(central['checksum']);
      await ask(at(round), 'DELETE', `${glance}/${id}`);
      await ask(at(round + 1), 'GET', glance);
      const missing = admin('GET', `/RegionOne/image/v2/images/${id}`);
      expect(String(await missing.catch((error: unknown) => error))).to.contain('404');
    }
  });

  it('leave no copy of an image that is deleted while servers carry it', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await newImage();
      const remove = () => ask(at(round), 'DELETE', `${glance}/${id}`);
      await Promise.all([
        times(4, (index) => boot(index, id).catch(() => undefined)),
        new Promise<unknown>((resolve) => setImmediate(() => resolve(remove()))),
      ]);
      await ask(at(0), 'GET', glance);
      for (const region of regions) {
        const found = admin('GET', `/${region}/image/v2/images/${id}`);
        expect(String(await found.catch((error: unknown) => error)), region).to.contain('404');
      }
    }
  });

  it('make an image of each request, of servers and volumes', async () => {
    const { images } = await ask(at(0), 'GET', `${glance}?name=cirros`);
    const { server } = await boot(0, images[0].id as string);
    const { volume } = await ask(at(0), 'POST', `${cinder}/volumes`, {
      volume: { name: 'v', size: 1 },
    });
    const ids = await times(6, async (index) => {
      const name = `made-${index}`;
      const made =
        index % 3 === 0
          ? (
              (await ask(at(index), 'POST', `${cinder}/volumes/${volume.id}/action`, {
                'os-volume_upload_image': { image_name: name, force: true },
              }).catch(() => ({}))) as Json
            )['os-volume_upload_image']
          : await ask(at(index), 'POST', `${nova}/servers/${server.id}/action`, {
              createImage: { name },
            }).catch(() => ({}));
      return (made as Json | undefined)?.['image_id'] as string | undefined;
    });
    // The jobs of a pod may run in the other process.
    const clock = { seconds: 60 };
    await ask(at(0), 'POST', '/_emulator/clock/advance', clock);
    const known = ids.filter((id) => id !== undefined);
    expect(known.length).to.be.greaterThan(1);
    for (const id of known)
      expect(await ask(at(1), 'GET', `${glance}/${id}`)).to.include({ status: 'active' });
    const all = (await ask(at(0), 'GET', glance))['images'] as Json[];
    expect(all.filter(({ name }) => String(name).startsWith('made-'))).to.have.length(known.length);
  });
});
