// Tests of --seed with a world: it is made through the services, all of it or nothing, and a reset
// of everything returns to it.
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../../../src/config.ts';
import type { DatabaseUrl } from '../../../src/kernel/db/database.ts';
import { dropDatabase } from '../../../src/kernel/db/open.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import { run, type Running } from '../../../src/server.ts';
import { databases, kinds } from '../../support/databases.ts';
import { snapshotsOf } from '../snapshots/support.ts';
import { Admin, type Fields } from './admin.ts';

const world = readFileSync(new URL('world.yaml', import.meta.url), 'utf8');

for (const kind of kinds) {
  describe(`--seed with a world [${kind}]`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    const file = join(folder, 'world.yaml');
    const running: Running[] = [];
    const made: DatabaseUrl[] = [];

    const fresh = async (): Promise<DatabaseUrl> => {
      const database =
        kind === 'sqlite'
          ? ({ kind, folder: mkdtempSync(join(folder, 'cloud-')) } as const)
          : (await databases.fresh(kind))!;
      made.push(database);
      return database;
    };
    const start = async (fields: Partial<Config>): Promise<Running> => {
      const one = await run(configOf({ port: 0, logLevel: 'silent', ...fields }));
      running.push(one);
      return one;
    };
    const refusal = (fields: Partial<Config>): Promise<string> =>
      start(fields).then(
        () => 'none',
        (error: Error) => error.message,
      );
    const stopAll = async (): Promise<void> => {
      while (running.length) await running.pop()!.stop();
    };

    before(async function () {
      if (kind === 'mysql' && !(await databases.server())) return this.skip();
      writeFileSync(file, world);
    });

    after(async () => {
      await stopAll();
      rmSync(folder, { recursive: true, force: true });
      for (const one of made)
        if (one.kind === 'mysql')
          for (const part of ['', 'RegionOne', 'RegionTwo']) await dropDatabase(one, part);
    });

    describe('in a cloud with everything', () => {
      let admin: Admin;
      let origin: string;

      before(async () => {
        ({ origin } = await start({ seed: file, database: await fresh() }));
        admin = await Admin.at(origin);
      });

      const compute = (path: string) => admin.get(`/compute/v2.1${path}`, 'compute 2.90');
      const names = async (path: string, key: string, from = admin): Promise<string[]> =>
        ((await from.get(path))[key] as Fields[]).map(({ name }) => String(name)).toSorted();

      it('has its regions and the time of its clock', async () => {
        const { regions } = await admin.get('/_emulator/regions');
        expect(regions.map(({ name }: Fields) => name)).to.deep.equal(['RegionOne', 'RegionTwo']);
        expect(await admin.get('/_emulator/clock')).to.include({
          now: '2030-01-01T08:00:00.000000Z',
          frozen: true,
        });
      });

      it('has its projects, users and their roles, besides those of every cloud', async () => {
        expect(await names('/identity/v3/projects', 'projects')).to.deep.equal(
          ['admin', 'blue', 'demo', 'red', 'service'].toSorted(),
        );
        const bob = await Admin.at(origin, { user: 'bob', password: 'pw', project: 'blue' });
        const { servers } = await bob.get('/compute/v2.1/servers');
        expect(servers.map(({ name }: Fields) => name).toSorted()).to.deep.equal([
          'web-1',
          'web-2',
        ]);
        await Admin.at(origin, { user: 'bob', password: 'pw', project: 'red' });
      });

      it('takes back the roles with which it has acted in projects', async () => {
        const { role_assignments: assignments } = await admin.get(
          '/identity/v3/role_assignments?include_names=true&user.id=' + (await admin.userId()),
        );
        const scopes = assignments.map(({ scope }: Fields) => scope.project?.name).filter(Boolean);
        expect([...new Set(scopes)].toSorted()).to.deep.equal(['admin', 'demo']);
      });

      it('has its hosts with zones, aggregates and states', async () => {
        expect(await names('/_emulator/hosts', 'hosts')).to.deep.equal(
          ['compute-1', 'compute-2', 'gpu-1', 'gpu-2', 'off', 'spare-1', 'spare-2'].toSorted(),
        );
        const { aggregates } = await compute('/os-aggregates');
        const fast = aggregates.find(({ name }: Fields) => name === 'fast');
        expect(fast).to.deep.include({
          hosts: ['compute-1', 'compute-2'],
          metadata: { ssd: 'true' },
        });
        const { services } = await compute('/os-services?host=off');
        expect(services[0]).to.include({ status: 'disabled', disabled_reason: 'broken fan' });
      });

      it('has nested providers with inventories and traits', async () => {
        const version = 'placement 1.39';
        const providers = (await admin.get('/placement/resource_providers', version))
          .resource_providers as Fields[];
        const gpu = providers.find(({ name }) => name === 'gpu-1_numa0_pgpu0')!;
        const parent = providers.find(({ uuid }) => uuid === gpu['parent_provider_uuid'])!;
        expect(parent['name']).to.equal('gpu-1_numa0');
        const at = `/placement/resource_providers/${String(gpu['uuid'])}`;
        expect((await admin.get(`${at}/traits`, version)).traits).to.deep.equal([
          'CUSTOM_NVIDIA_A100',
        ]);
        expect((await admin.get(`${at}/inventories`, version)).inventories.VGPU).to.include({
          total: 4,
          max_unit: 1,
          reserved: 1,
        });
      });

      it('has flavors, images, networks and volume types', async () => {
        const { flavors } = await compute('/flavors/detail?is_public=None');
        const big = flavors.find(({ name }: Fields) => name === 'big');
        expect(big.extra_specs).to.deep.equal({ 'hw:cpu_policy': 'dedicated' });
        expect(await names('/image/v2/images', 'images')).to.include.members(['ubuntu', 'cirros']);
        expect(await names('/network/v2.0/networks', 'networks')).to.include.members([
          'lan',
          'inner',
          'private',
        ]);
        expect(await names('/volume/v3/types', 'volume_types')).to.include('ssd');
      });

      it('has running servers where the file says, with volumes', async () => {
        const { servers } = await compute('/servers/detail?all_tenants=1');
        const server = (name: string) => servers.find((one: Fields) => one['name'] === name);
        expect(server('pinned')).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'gpu-1' });
        expect(server('halted').status).to.equal('SHUTOFF');
        const hosts = ['web-1', 'web-2'].map((name) => server(name)['OS-EXT-SRV-ATTR:host']);
        expect(new Set(hosts).size).to.equal(2);
        expect(server('web-1')['os-extended-volumes:volumes_attached']).to.have.length(1);
      });

      it('has leases that run and that begin later', async () => {
        const { leases } = await admin.get('/reservation/v1/leases');
        const found = leases.map(({ name, status, start_date: start }: Fields) => [
          name,
          status,
          String(start).slice(0, 16),
        ]);
        expect(found.toSorted()).to.deep.equal([
          ['later', 'PENDING', '2030-01-08T08:00'],
          ['now', 'ACTIVE', '2030-01-01T08:00'],
        ]);
      });

      it('has clusters with nodes and policies', async () => {
        const { clusters } = await admin.get('/clustering/v1/clusters?global_project=true');
        const found = clusters.map(({ name, status, nodes, policies }: Fields) => ({
          name,
          status,
          nodes: nodes.length,
          policies: policies.length,
        }));
        expect(found).to.have.deep.members([
          { name: 'workers', status: 'ACTIVE', nodes: 2, policies: 1 },
          { name: 'single', status: 'ACTIVE', nodes: 1, policies: 0 },
        ]);
      });

      it('has quotas, registered limits, settings and fault rules', async () => {
        const blue = await admin.projectId('blue');
        expect((await compute(`/os-quota-sets/${blue}`)).quota_set.cores).to.equal(100);
        const limits = await admin.get('/identity/v3/registered_limits');
        expect(limits.registered_limits[0]).to.include({ resource_name: 'image_count_total' });
        expect(await admin.get('/_emulator/compute/settings')).to.include({ max_limit: 500 });
        expect((await admin.get('/_emulator/faults')).faults).to.have.length(1);
      });

      it('has the sections of a region that replace those of the world', async () => {
        const { hosts } = await admin.get('/_emulator/hosts?region=RegionTwo');
        expect(hosts.map(({ name }: Fields) => name)).to.deep.equal(['compute-1']);
        const { servers } = await admin.get('/RegionTwo/compute/v2.1/servers?all_tenants=1');
        expect(servers).to.deep.equal([]);
      });

      it('is restored by a reset of everything', async () => {
        const before = await compute('/servers?all_tenants=1');
        const pinned = before.servers.find(({ name }: Fields) => name === 'pinned');
        await admin.send('DELETE', `/compute/v2.1/servers/${pinned.id}`);
        expect((await compute('/servers?all_tenants=1')).servers).to.have.length(
          before.servers.length - 1,
        );
        await admin.send('POST', '/_emulator/reset', {});
        expect(await compute('/servers?all_tenants=1')).to.deep.equal(before);
      });

      it('survives an export and an import', async () => {
        const document = await snapshotsOf({ url: origin }).export();
        await snapshotsOf({ url: origin }).import(document).expect(204);
        const again = await snapshotsOf({ url: origin }).export();
        const rows = (text: string): string[] => text.split('\n').slice(1).toSorted();
        expect(rows(again)).to.deep.equal(rows(document));
      });
    });

    it('leaves a cloud new if it cannot be made', async () => {
      const database = await fresh();
      const wrong = join(folder, 'wrong.yaml');
      writeFileSync(wrong, 'hosts: 1\nservers:\n  - { name: a }\n  - { name: b, host: none }\n');
      expect(await refusal({ seed: wrong, database })).to.match(
        /wrong\.yaml:4: servers\[1\]: POST \/compute\/v2\.1\/servers: 400 .*none could not be found/,
      );
      writeFileSync(wrong, 'servers: 1\n');
      const { origin } = await start({ seed: wrong, database });
      const { servers } = await (await Admin.at(origin)).get('/compute/v2.1/servers');
      expect(servers.map(({ name }: Fields) => name)).to.deep.equal(['server-1']);
    });

    it('is read again by a reset, which changes nothing if the file is invalid', async () => {
      const changing = join(folder, 'changing.yaml');
      writeFileSync(changing, 'hosts: 1\n');
      const { origin } = await start({ seed: changing, database: await fresh() });
      const admin = await Admin.at(origin);
      const hosts = async (): Promise<number> => (await admin.get('/_emulator/hosts')).hosts.length;
      writeFileSync(changing, 'hosts: 2\n');
      await admin.send('POST', '/_emulator/reset', {});
      expect(await hosts()).to.equal(2);
      writeFileSync(changing, 'hosts: two\n');
      await admin.send('POST', '/_emulator/reset', {}).then(
        () => expect.fail('was reset'),
        (error: Error) =>
          expect(error.message).to.match(/400 .*changing\.yaml:1: hosts: expected a whole number/),
      );
      expect(await hosts()).to.equal(2);
    });

    it('names the server that no host has room for', async () => {
      const wrong = join(folder, 'full.yaml');
      writeFileSync(wrong, 'hosts: [{vcpus: 1, ratios: {vcpus: 1}}]\nservers: 2\n');
      expect(await refusal({ seed: wrong, database: await fresh() })).to.match(
        /full\.yaml:2: servers: server server-\d: No valid host was found/,
      );
    });
  });
}
