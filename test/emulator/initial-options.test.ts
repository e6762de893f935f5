// Tests of the warnings about options that have no effect on a cloud that exists, or comes from a
// file.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { configOf } from '../../src/config.ts';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { ineffectiveOptions } from '../../src/emulator/initial-options/warnings.ts';
import { resetCloud } from '../../src/emulator/reset/reset.ts';
import { exportNow } from '../../src/emulator/snapshots/snapshots.ts';
import { presetFile } from '../../src/emulator/worlds/presets.ts';
import type { Cloud } from '../../src/kernel/model.ts';
import type { Config } from '../../src/kernel/settings.ts';
import { profiles } from '../../src/services/tricircle/profiles.ts';

describe('warnings about options without effect', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cumulet-options-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const opened = async <T>(
    fields: Partial<Config>,
    run: (cloud: Cloud) => Promise<T>,
  ): Promise<T> => {
    const database = { kind: 'sqlite', folder } as const;
    const cloud = await openCloud(
      configOf({ database, logLevel: 'silent', hosts: '1', ...fields }),
    );
    try {
      return await run(cloud);
    } finally {
      await closeCloud(cloud);
    }
  };
  const warnings = (fields: Partial<Config>): Promise<string[]> =>
    opened(fields, ineffectiveOptions);
  const profile = (name: string): Partial<Config> => {
    const pods = profiles[name]!;
    return { pods, regions: pods.map(({ region }) => region) };
  };

  it('are absent for a new cloud, and for a start with the same options', async () => {
    const fields = { adminPassword: 'x', regions: ['One', 'Two'] };
    expect(await warnings(fields)).to.deep.equal([]);
    expect(await warnings(fields)).to.deep.equal([]);
    expect(await warnings({})).to.deep.equal([]);
  });

  it('name --admin-password and --hosts for a cloud that has others', async () => {
    await warnings({});
    const [password, hosts, ...more] = await warnings({ adminPassword: 'x', hosts: '7' });
    expect(password).to.match(/^--admin-password has no effect yet: .+ other passwords\. It/);
    expect(hosts).to.match(/^--hosts has no effect yet: this cloud was created with another value/);
    expect(more).to.deep.equal([]);
  });

  it('end with a reset of the whole cloud, which applies the options', async () => {
    await warnings({});
    const fields = { adminPassword: 'x', hosts: '7' };
    await opened(fields, (cloud) => resetCloud(cloud, {}));
    expect(await warnings(fields)).to.deep.equal([]);
  });

  it('name an option that is missing, because a reset would change the cloud', async () => {
    const name = 'three-zones';
    await warnings({ preset: name, seed: presetFile(name) });
    expect(await warnings({})).to.deep.equal([
      'This cloud was created with --preset. A reset of the whole cloud will create it without ' +
        'that, unless you start with the same --preset again.',
    ]);
  });

  it('name --preset as the user wrote it', async () => {
    await warnings({});
    const name = 'three-zones';
    const [preset, ...more] = await warnings({ preset: name, seed: presetFile(name) });
    expect(preset).to.match(/^--preset has no effect yet: this cloud was created with another/);
    expect(more).to.deep.equal([]);
  });

  it('are absent for a profile that an existing cloud gets, and keeps', async () => {
    await warnings({});
    expect(await warnings(profile('three-regions'))).to.deep.equal([]);
    expect(await warnings({})).to.deep.equal([]);
  });

  it('name --profile alone for a cloud of another profile', async () => {
    await warnings(profile('six-pods'));
    const [first, ...more] = await warnings(profile('three-regions'));
    expect(first).to.match(/^--profile has no effect: this cloud keeps the pods of the profile/);
    expect(more).to.deep.equal([]);
  });

  it('name --regions if others stay', async () => {
    await warnings({ regions: ['RegionOne', 'RegionTwo'] });
    const said = await warnings({ regions: ['Paris'] });
    expect(said).to.have.length(2);
    expect(said[0]).to.match(
      /^--regions cannot change the first region: RegionOne keeps the paths/,
    );
    expect(said[1]).to.match(/^--regions removes no regions: this cloud also has RegionTwo\. '/);
  });

  it('name options that a seed file replaces, and --seed for a cloud that exists', async () => {
    const seed = join(folder, 'seed.ndjson');
    await opened({ adminPassword: 'x' }, async (cloud) => {
      await ineffectiveOptions(cloud);
      for await (const part of await exportNow(cloud)) appendFileSync(seed, part);
    });
    expect((await warnings({ seed }))[0]).to.match(/^--seed has no effect yet/);
    const memory = { database: { kind: 'memory' }, seed } as const;
    const [password, hosts, ...more] = await warnings({
      ...memory,
      adminPassword: 'y',
      hosts: '7',
    });
    expect(password).to.match(/^--admin-password has no effect: .+ passwords .+ file of --seed\.$/);
    expect(hosts).to.match(/^--hosts does not change what the cloud got from --seed /);
    expect(more).to.deep.equal([]);
    expect(await warnings({ ...memory, adminPassword: 'x', hosts: '3' })).to.deep.equal([]);
  });

  it('name --admin-password where nobody signs in', async () => {
    expect(await warnings({ adminPassword: 'x', auth: 'noauth2' })).to.deep.equal([
      '--admin-password has no effect with --auth noauth2.',
    ]);
  });
});
