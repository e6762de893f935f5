// Kills the process while it carries images, and starts it again on the same databases.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pause } from '../../../src/kernel/clock.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { requestJson } from './requests.ts';
import type { Json } from './support.ts';

const regions = ['RegionOne', 'RegionTwo'];
const glance = '/CentralRegion/image/v2/images';
const nova = '/CentralRegion/compute/v2.1';
const cinder = '/CentralRegion/volume/v3';

describe('gateway: a process that is killed while it carries images', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-images-'));
  let emulator: Emulator;

  const ask = (method: string, path: string, body?: object): Promise<Json> =>
    requestJson(emulator.origin, method, path, body);
  const admin = (method: string, path: string, body?: object): Promise<Json> =>
    requestJson(emulator.origin, method, path, body, { user: 'admin' });
  const start = async (): Promise<void> => {
    const flags = ['--database', `sqlite:${folder}`, '--auth', 'noauth2', '--hosts', '1'];
    const all = ['CentralRegion', ...regions].join(',');
    emulator = await startEmulator([...flags, '--regions', all]);
  };

  before(async () => {
    await start();
    for (const region_name of regions)
      await admin('POST', '/tricircle/v1.0/pods', { pod: { region_name, az_name: 'az1' } });
  });
  after(async () => {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends requests, and kills the process some milliseconds later. */
  async function killAfter(delay: number, send: () => readonly Promise<unknown>[]): Promise<void> {
    const sent = Promise.allSettled(send());
    await pause(delay);
    await emulator.kill();
    await sent;
    await start();
  }

  const boot = (imageRef: string): Promise<Json> =>
    ask('POST', `${nova}/servers`, {
      server: { name: 's', imageRef, flavorRef: '1', networks: 'none' },
    });
  const imagesIn = async (region: string): Promise<Json[]> =>
    (await admin('GET', `/${region}/image/v2/images?limit=1000`))['images'] as Json[];

  it('boots servers from the image afterwards, and deletes all copies with it', async () => {
    for (const delay of [10, 25, 50, 100]) {
      const fields = { disk_format: 'raw', container_format: 'bare', os_version: '1' };
      const { id } = await ask('POST', glance, fields);
      await ask('PUT', `${glance}/${id}/file`, randomBytes(5_000_000));
      await killAfter(delay, () => [boot(id as string)]);
      const { server } = await boot(id as string);
      expect((await ask('GET', `${nova}/servers/${server.id}`))['server'].status).to.equal(
        'ACTIVE',
      );
      await killAfter(delay / 5, () => [ask('DELETE', `${glance}/${id}`)]);
      await ask('DELETE', `${glance}/${id}`).catch(() => undefined);
      await ask('GET', glance);
      for (const region of regions)
        expect((await imagesIn(region)).map((image) => image['id'])).not.to.include(id);
    }
  });

  it('has each image that a server or volume made in the central region, too', async () => {
    const { images } = await ask('GET', `${glance}?name=cirros`);
    const { server } = await boot(images[0].id as string);
    const { volume } = await ask('POST', `${cinder}/volumes`, { volume: { name: 'v', size: 1 } });
    for (const [round, delay] of [5, 10, 20, 40, 80].entries())
      await killAfter(delay, () => [
        ask('POST', `${nova}/servers/${server.id}/action`, { createImage: { name: `s${round}` } }),
        ask('POST', `${cinder}/volumes/${volume.id}/action`, {
          'os-volume_upload_image': { image_name: `v${round}`, force: true },
        }),
      ]);
    await fetch(`${emulator.origin}/_emulator/clock/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seconds: 3600 }),
    });
    const central = (await ask('GET', `${glance}?limit=1000`))['images'] as Json[];
    const inPods = (await Promise.all(regions.map(imagesIn))).flat();
    const made = (all: readonly Json[]): string[] =>
      all
        .filter(({ name }) => /^[sv]\d$/.test(String(name)))
        .map(({ id, name, status, checksum }) => [id, name, status, checksum].join())
        .toSorted();
    expect(made(central)).to.deep.equal(made(inPods));
    expect(made(central).every((image) => image.includes(',active,'))).to.equal(true);
  });
});
