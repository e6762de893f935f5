// Tests of the pods of a profile over resets, restarts and dropped regions.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../../../src/config.ts';
import { run, type Running } from '../../../src/server.ts';
import type { DatabaseUrl } from '../../../src/kernel/db/database.ts';
import { dropDatabase } from '../../../src/kernel/db/open.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import { presetFile } from '../../../src/emulator/worlds/presets.ts';
import { profiles } from '../../../src/services/tricircle/profiles.ts';
import { databases, kinds } from '../../support/databases.ts';

const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };

/** What --profile sets. */
const withProfile = (name: string): Partial<Config> => {
  const pods = profiles[name]!;
  return { pods, regions: pods.map(({ region }) => region), centralRegion: pods[0]!.region };
};

const regionsOf = (name: string): string[] => profiles[name]!.map(({ region }) => region);

for (const kind of kinds) {
  describe(`--profile over resets and restarts [${kind}]`, () => {
    let database: DatabaseUrl;
    let running: Running | undefined;
    const regionsMade = new Set(['', 'Extra', ...Object.keys(profiles).flatMap(regionsOf)]);

    const start = async (fields: Partial<Config> = {}): Promise<void> => {
      await stop();
      const rest = { port: 0, auth: 'noauth2', logLevel: 'silent', hosts: '1' } as const;
      running = await run(configOf({ ...rest, database, ...fields }));
    };
    const stop = async (): Promise<void> => {
      await running?.stop();
      running = undefined;
    };
    const send = async (method: string, path: string, body?: object): Promise<Response> =>
      fetch(`${running!.origin}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
    const ok = async (method: string, path: string, body?: object): Promise<unknown> => {
      const reply = await send(method, path, body);
      const text = await reply.text();
      expect(reply.status, `${method} ${path}: ${text}`).to.be.within(200, 299);
      return text ? (JSON.parse(text) as unknown) : undefined;
    };
    const regions = async (): Promise<string[]> =>
      ((await ok('GET', '/_emulator/regions')) as { regions: { name: string }[] }).regions.map(
        ({ name }) => name,
      );
    interface Pod {
      readonly pod_id: string;
      readonly region_name: string;
      readonly az_name: string;
    }
    const pods = async (): Promise<Pod[]> =>
      ((await ok('GET', '/tricircle/v1.0/pods')) as { pods: Pod[] }).pods;
    const podRegions = async (): Promise<string[]> =>
      (await pods()).map(({ region_name: name }) => name);

    before(async function () {
      if (kind === 'mysql' && !(await databases.server())) this.skip();
    });

    beforeEach(async () => {
      database =
        kind === 'sqlite'
          ? { kind, folder: mkdtempSync(join(tmpdir(), 'cumulet-test-')) }
          : (await databases.fresh(kind))!;
    });

    afterEach(async () => {
      await stop();
      if (database.kind === 'sqlite') rmSync(database.folder, { recursive: true });
      else for (const part of regionsMade) await dropDatabase(database, part);
    });

    it('a reset of everything restores the regions of the profile and drops others', async () => {
      await start(withProfile('six-pods'));
      await ok('DELETE', '/_emulator/regions/Pod3');
      await ok('POST', '/_emulator/regions', { name: 'Extra' });
      await ok('POST', '/_emulator/reset');
      expect(await regions()).to.have.members(regionsOf('six-pods'));
      expect(await podRegions()).to.deep.equal(regionsOf('six-pods'));
      const all = '/CentralRegion/volume/v3/volumes/detail?all_tenants=1';
      expect(await ok('GET', all)).to.deep.equal({ volumes: [] });
      await ok('GET', '/Pod3/placement/resource_providers');
    });

    // The rest does not depend on the database, and MySQL takes seconds to create seven regions.
    if (kind === 'mysql') return;

    it('restores a dropped central region as the central one', async () => {
      await start(withProfile('three-regions'));
      await ok('DELETE', '/_emulator/regions/CentralRegion');
      await ok('POST', '/_emulator/reset');
      const { regions: shown } = (await ok('GET', '/_emulator/regions')) as {
        regions: { name: string; central: boolean }[];
      };
      expect(shown.filter(({ central }) => central).map(({ name }) => name)).to.deep.equal([
        'CentralRegion',
      ]);
    });

    it('a pod whose region has been dropped is left out of lists', async () => {
      await start(withProfile('three-regions'));
      await ok('DELETE', '/_emulator/regions/RegionTwo');
      for (const path of ['volume/v3/volumes/detail', 'compute/v2.1/servers/detail'])
        await ok('GET', `/CentralRegion/${path}?all_tenants=1`);
      expect(await podRegions()).to.include('RegionTwo');
    });

    it('a reset after a start without --profile restores the pods of the first start', async () => {
      await start(withProfile('six-pods'));
      const before = await pods();
      await start();
      await ok('POST', '/_emulator/reset');
      expect((await pods()).map(({ pod_id: id }) => id)).to.deep.equal(
        before.map(({ pod_id: id }) => id),
      );
      expect(await regions()).to.have.members(regionsOf('six-pods'));
    });

    it('another profile neither changes the pods nor what a reset restores', async () => {
      await start(withProfile('six-pods'));
      await start(withProfile('three-regions'));
      expect(await podRegions()).to.deep.equal(regionsOf('six-pods'));
      await ok('POST', '/_emulator/reset');
      expect(await podRegions()).to.deep.equal(regionsOf('six-pods'));
      expect(await regions()).to.include.members(regionsOf('six-pods'));
    });

    it('keeps the pods that an admin has registered in a cloud without a profile', async () => {
      await start({ regions: ['CentralRegion', 'Pod1'] });
      await ok('POST', '/tricircle/v1.0/pods', { pod: { region_name: 'CentralRegion' } });
      await ok('POST', '/tricircle/v1.0/pods', { pod: { region_name: 'Pod1', az_name: 'mine' } });
      const [central, own] = await pods();
      await start(withProfile('six-pods'));
      expect((await podRegions()).toSorted()).to.deep.equal(regionsOf('six-pods').toSorted());
      const kept = (await pods()).filter(({ pod_id: id }) =>
        [central!.pod_id, own!.pod_id].includes(id),
      );
      expect(kept.map(({ az_name: zone }) => zone).toSorted()).to.deep.equal(['', 'mine']);
    });

    for (const name of Object.keys(profiles))
      it(`--preset ${name} shows clients the same regions, pods and binding`, async () => {
        const shown = async (fields: Partial<Config>): Promise<object> => {
          await start({ database: { kind: 'memory' }, ...fields });
          const volume = { name: 'data', size: 1 };
          await ok('POST', '/CentralRegion/volume/v3/volumes', { volume });
          const { pod_bindings: bindings } = (await ok('GET', '/tricircle/v1.0/bindings')) as {
            pod_bindings: { tenant_id: string; pod_id: string }[];
          };
          const all = await pods();
          const regionOf = (id: string) => all.find((one) => one.pod_id === id)?.region_name;
          return {
            regions: await ok('GET', '/_emulator/regions'),
            pods: all.map((pod) => ({ ...pod, pod_id: '', create_time: '' })),
            bindings: bindings.map(({ tenant_id: project, pod_id: id }) => [project, regionOf(id)]),
          };
        };
        const expected = await shown(withProfile(name));
        expect(expected).to.have.property('bindings').with.lengthOf(1);
        expect(await shown({ seed: presetFile(name) })).to.deep.equal(expected);
      });

    it('prevents a second central region', async () => {
      await start(withProfile('three-regions'));
      await stop();
      const error = await start({ regions: ['Extra', 'RegionOne'], centralRegion: 'Extra' }).then(
        () => 'none',
        (thrown: Error) => thrown.message,
      );
      expect(error).to.equal(
        'The central region of this cloud is CentralRegion, so Extra cannot become another one. ' +
          'Use --central-region CentralRegion, or choose another database with --database.',
      );
      await start();
      expect(await regions()).to.deep.equal(regionsOf('three-regions'));
    });
  });
}
