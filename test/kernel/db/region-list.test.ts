// Tests of the list of regions: a restart opens the same regions, and all processes follow changes.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { closeCloud, openCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { closeRegion, openRegion } from '../../../src/emulator/regions/regions.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import { onTwoProcesses } from '../../support/processes.ts';

describe('the list of regions', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cumulet-regions-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const opened = async <T>(
    fields: Partial<Config>,
    run: (cloud: Cloud) => Promise<T>,
  ): Promise<T> => {
    const cloud = await openCloud(
      configOf({ database: { kind: 'sqlite', folder }, logLevel: 'silent', hosts: '0', ...fields }),
    );
    try {
      return await run(cloud);
    } finally {
      await closeCloud(cloud);
    }
  };
  const names = (cloud: Cloud): Promise<string[]> => Promise.resolve([...cloud.regions.keys()]);
  const catalog = async ({ central }: Cloud): Promise<string[]> =>
    (await central
      .db('identity_endpoints')
      .distinct('region_id')
      .orderBy('region_id')
      .pluck('region_id')) as string[];

  it('is RegionOne by default, and keeps the regions of earlier starts', async () => {
    expect(await opened({}, names)).to.deep.equal(['RegionOne']);
    expect(await opened({ regions: ['RegionOne', 'RegionTwo'] }, names)).to.deep.equal([
      'RegionOne',
      'RegionTwo',
    ]);
    expect(await opened({}, names)).to.deep.equal(['RegionOne', 'RegionTwo']);
    expect(await opened({ regions: ['Third'] }, names)).to.deep.equal([
      'RegionOne',
      'RegionTwo',
      'Third',
    ]);
    expect(await opened({}, catalog)).to.deep.equal(['RegionOne', 'RegionTwo', 'Third']);
  });

  it('keeps added and dropped regions over a restart, with their files', async () => {
    await opened({ regions: ['RegionOne', 'RegionTwo'] }, async (cloud) => {
      const added = await openRegion(cloud, 'Added');
      await added.database.db('cumulet_locks').insert({ name: 'mine', acquired: 1 });
      await closeRegion(cloud, cloud.regions.get('RegionTwo')!, { drop: true });
    });
    expect(readdirSync(folder).filter((file) => file.startsWith('RegionTwo'))).to.deep.equal([]);
    await opened({}, async (cloud) => {
      expect(await names(cloud)).to.deep.equal(['RegionOne', 'Added']);
      expect(await catalog(cloud)).to.deep.equal(['Added', 'RegionOne']);
      expect(
        await cloud.regions.get('Added')!.database.db('cumulet_locks').where({ name: 'mine' }),
      ).to.have.length(1);
    });
    await opened({ regions: ['RegionTwo'] }, async (cloud) =>
      expect(await catalog(cloud)).to.include('RegionTwo'),
    );
  });

  it('drops forks, and regions that were being dropped, at the next start', async () => {
    await opened({}, async (cloud) => {
      await openRegion(cloud, 'Copy', { from: cloud.firstRegion });
      await cloud.central
        .db('cumulet_regions')
        .where({ name: 'Copy' })
        .update({ state: 'dropping' });
    });
    expect(await opened({}, names)).to.deep.equal(['RegionOne']);
    expect(readdirSync(folder).filter((file) => file.startsWith('Copy'))).to.deep.equal([]);
    expect(await opened({}, async (cloud) => (await openRegion(cloud, 'Copy')).name)).to.equal(
      'Copy',
    );
  });

  it('keeps the central region, whatever the flag says at a later start', async () => {
    await opened({ regions: ['Top', 'RegionOne'], centralRegion: 'Top' }, async () => {});
    await opened({}, async (cloud) => {
      expect(
        [...cloud.regions.values()].map(({ name, isCentral }) => [name, isCentral]),
      ).to.deep.equal([
        ['Top', true],
        ['RegionOne', false],
      ]);
      expect(cloud.firstRegion.name).to.equal('RegionOne');
    });
  });

  it('needs a region that is not central', async () => {
    const error = await opened({ regions: ['CentralRegion'] }, names).catch((one: Error) => one);
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.matches(/name another one in --regions/);
  });
});

onTwoProcesses(
  'the regions of two processes',
  ['--regions', 'RegionOne,RegionTwo', '--hosts', '0'],
  (origins) => {
    const ask = async (
      origin: string,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ status: number; body: unknown }> => {
      const reply = await fetch(`${origin}${path}`, {
        method,
        headers: {
          'x-auth-token': 'admin',
          'content-type': 'application/json',
          'openstack-api-version': 'placement 1.20',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, body: text ? (JSON.parse(text) as unknown) : undefined };
    };
    const providers = '/Alpha/placement/resource_providers';

    it('stay the same when one process adds, forks and drops regions', async () => {
      const [one, other] = origins();
      expect((await ask(one, 'POST', '/_emulator/regions', { name: 'Alpha' })).status).to.equal(
        201,
      );
      expect((await ask(other, 'POST', providers, { name: 'there' })).status).to.equal(200);
      expect((await ask(one, 'POST', providers, { name: 'there' })).status).to.equal(409);
      expect(
        (await ask(other, 'POST', '/_emulator/regions', { name: 'Beta', from: 'Alpha' })).status,
      ).to.equal(201);
      const copied = await ask(one, 'GET', '/Beta/placement/resource_providers');
      expect(
        (copied.body as { resource_providers: { name: string }[] }).resource_providers.map(
          ({ name }) => name,
        ),
      ).to.deep.equal(['there']);
      expect((await ask(other, 'DELETE', '/_emulator/regions/Alpha')).status).to.equal(204);
      expect((await ask(one, 'GET', providers)).status).to.equal(404);
      expect((await ask(one, 'POST', '/_emulator/regions', { name: 'Alpha' })).status).to.equal(
        201,
      );
      expect(
        ((await ask(other, 'GET', providers)).body as { resource_providers: unknown[] })
          .resource_providers,
      ).to.deep.equal([]);
      for (const name of ['Alpha', 'Beta']) await ask(one, 'DELETE', `/_emulator/regions/${name}`);
      const listed = (await ask(other, 'GET', '/_emulator/regions')).body as {
        regions: { name: string }[];
      };
      expect(listed.regions.map(({ name }) => name)).to.deep.equal(['RegionOne', 'RegionTwo']);
    });

    it('are added once: of two concurrent requests, one gets 409', async () => {
      const statuses = await Promise.all(
        origins().map(
          async (origin) =>
            (await ask(origin, 'POST', '/_emulator/regions', { name: 'Same' })).status,
        ),
      );
      expect(statuses.toSorted()).to.deep.equal([201, 409]);
      expect((await ask(origins()[0], 'DELETE', '/_emulator/regions/Same')).status).to.equal(204);
    });

    it('can be dropped during requests, each of which gets a reply', async () => {
      const [one, other] = origins();
      await ask(one, 'POST', '/_emulator/regions', { name: 'Gone' });
      const reads = Array.from({ length: 40 }, () =>
        ask(other, 'GET', '/Gone/placement/resource_providers'),
      );
      await ask(one, 'DELETE', '/_emulator/regions/Gone');
      const statuses = (await Promise.all(reads)).map(({ status }) => status);
      expect(statuses.filter((status) => ![200, 404, 503].includes(status))).to.deep.equal([]);
      expect((await ask(other, 'GET', '/Gone/placement/resource_providers')).status).to.equal(404);
    });
  },
);
