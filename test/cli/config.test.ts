// Tests of the options: the configuration that they give, and the errors for contradictions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { expect } from 'chai';
import { configFrom, configOf } from '../../src/config.ts';
import { withServerOptions } from '../../src/cli/server-options.ts';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import type { Config } from '../../src/kernel/settings.ts';
import { isLoopback } from '../../src/kernel/http/loopback.ts';

/** The configuration for a command line, with only these CUMULET_ variables in the environment. */
function config(flags: string, env: Record<string, string> = {}): Config {
  const before = { ...process.env };
  for (const name of Object.keys(process.env))
    if (name.startsWith('CUMULET_')) delete process.env[name];
  Object.assign(process.env, env);
  try {
    let options: Record<string, unknown> = {};
    const command = withServerOptions(new Command())
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    command.action((given: Record<string, unknown>) => void (options = given));
    command.parse(flags.split(' ').filter(Boolean), { from: 'user' });
    return configFrom(options);
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The error message for a command line that is refused. */
function refusal(flags: string, env?: Record<string, string>): string {
  try {
    config(flags, env);
  } catch (error) {
    return (error as Error | CommanderError).message;
  }
  throw new Error(`'${flags}' was accepted`);
}

describe('the configuration', () => {
  it('is a cloud on loopback that keeps its state in a folder, by default', () => {
    expect(config('')).to.deep.equal(configOf());
    const { host, port, database, regions, auth, listen } = config('');
    expect({ host, port, database, regions, auth, listen }).to.deep.equal({
      host: '127.0.0.1',
      port: 6060,
      database: { kind: 'sqlite', folder: '.cumulet' },
      regions: [],
      auth: 'keystone',
      listen: [],
    });
  });

  it('has the offset of --native-ports, which a variable can turn off', () => {
    const offsetOf = (flags: string, value?: string): number | false =>
      config(flags, value === undefined ? {} : { CUMULET_NATIVE_PORTS: value }).nativePorts;
    expect(
      ['', '--native-ports', '--native-ports 300'].map((flags) => offsetOf(flags)),
    ).to.deep.equal([false, 0, 300]);
    expect(offsetOf('--native-ports off')).to.equal(false);
    for (const word of ['off', 'false', 'no', '']) expect(offsetOf('', word)).to.equal(false);
    for (const word of ['true', '0']) expect(offsetOf('', word)).to.equal(0);
    expect(offsetOf('', '300')).to.equal(300);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(config(''))).to.equal(true);
  });

  it('has a field for each option', () => {
    const flags =
      '--port 0 --database memory: --regions One,Two --auth noauth2 --policy-dir p ' +
      '--admin-password x --control-token t --log-level debug';
    const { port, database, regions, auth, policyDir, adminPassword, controlToken, logLevel } =
      config(flags);
    expect([
      port,
      database.kind,
      regions,
      auth,
      policyDir,
      adminPassword,
      controlToken,
      logLevel,
    ]).to.deep.equal([0, 'memory', ['One', 'Two'], 'noauth2', 'p', 'x', 't', 'debug']);
  });

  it('reads options from the environment, and prefers those of the command line', () => {
    const env = {
      CUMULET_PORT: '7070',
      CUMULET_REGIONS: 'One Two',
      CUMULET_DATABASE: 'memory:',
      CUMULET_LISTEN: 'placement=8778,identity=[::1]:5000',
      CUMULET_CORS_ORIGIN: 'http://a http://b',
    };
    const { port, regions, database, listen, corsOrigin } = config('--port 8080', env);
    expect([port, regions, database.kind, corsOrigin]).to.deep.equal([
      8080,
      ['One', 'Two'],
      'memory',
      ['http://a', 'http://b'],
    ]);
    expect(listen).to.deep.equal([
      { service: 'placement', host: undefined, port: 8778 },
      { service: 'identity', host: '[::1]', port: 5000 },
    ]);
  });

  it('collects repeated --listen and --cors-origin', () => {
    const { listen, corsOrigin } = config(
      '--listen placement=1 --listen identity=localhost:2 --cors-origin http://a ' +
        '--cors-origin http://b,http://c',
    );
    expect(listen.map(({ service, host, port }) => `${service} ${host} ${port}`)).to.deep.equal([
      'placement undefined 1',
      'identity localhost 2',
    ]);
    expect(corsOrigin).to.deep.equal(['http://a', 'http://b', 'http://c']);
  });

  const wrong: readonly (readonly [flags: string, says: RegExp])[] = [
    ['--port x', /--port.*0 to 65535/],
    ['--port 65536', /--port.*0 to 65535/],
    ['--port -1', /--port.*0 to 65535/],
    ['--port 1e3', /--port.*0 to 65535/],
    ['--port', /--port.*argument missing/],
    ['--listen placement', /--listen.*SERVICE=PORT/],
    ['--listen placement=', /--listen.*SERVICE=PORT/],
    ['--listen placement=x', /--listen.*SERVICE=PORT/],
    ['--listen placement=99999', /--listen.*0 to 65535/],
    ['--auth none', /--auth.*keystone, noauth2/],
    ['--log-level loud', /--log-level.*trace, debug/],
    [
      '--database postgres://x/y',
      /'postgres:\/\/x\/y' is not a database URL. Use sqlite:<folder>, memory: or mysql:/,
    ],
    ['--database sqlite:', /is not a database URL/],
    ['--database mysql://root@host/', /is not a database URL/],
    ['--database mysql://root@host/no-dashes', /letters, digits and _/],
    ['--regions ,', /--regions.*Name at least one region/],
    ['--regions 1st', /'1st' cannot be a region's name/],
    ['--regions One,Two/Three', /'Two\/Three' cannot be a region's name/],
    ['--regions One,one', /same name/],
    ['--regions _emulator', /'_emulator' cannot be/],
    ['--regions Central', /'central' cannot be/],
    ['--regions abcdefghijklmnopqrstuvwxyz', /up to 24/],
    ['--prot 5', /unknown option '--prot'/],
  ];
  for (const [flags, says] of wrong)
    it(`refuses ${flags}`, () => expect(refusal(flags)).to.match(says));

  it('names the variable when the environment has an invalid value', () => {
    expect(refusal('', { CUMULET_PORT: 'x' })).to.match(/CUMULET_PORT/);
    expect(refusal('', { CUMULET_AUTH: 'none' })).to.match(/CUMULET_AUTH/);
  });

  it('takes regions and pods from a profile, and refuses --regions beside it', () => {
    const { regions, centralRegion, pods } = config('--profile three-regions');
    expect([regions, centralRegion, pods.length]).to.deep.equal([
      ['CentralRegion', 'RegionOne', 'RegionTwo'],
      'CentralRegion',
      3,
    ]);
    expect(refusal('--profile six-pods --regions One --central-region Two')).to.equal(
      '--profile already sets --regions and --central-region. Leave them out.',
    );
  });

  it('adds a central region that --regions does not list', () => {
    expect(config('--central-region CentralRegion').regions).to.deep.equal([
      'CentralRegion',
      'RegionOne',
    ]);
    expect(config('--central-region Top --regions One').regions).to.deep.equal(['Top', 'One']);
  });

  it('has no hosts by default with noauth2', () => {
    expect([config('').hosts, config('--auth noauth2').hosts]).to.deep.equal(['3', '0']);
    expect(config('--auth noauth2 --hosts 2').hosts).to.equal('2');
  });

  it('refuses a region with the name of a service', async () => {
    for (const region of ['identity', 'placement']) {
      const error = await openCloud(
        configOf({
          database: { kind: 'memory' },
          regions: ['RegionOne', region],
          logLevel: 'silent',
        }),
      ).catch((thrown: Error) => thrown.message);
      expect(error).to.include(
        `'${region}' cannot be a region's name: a service is mounted at /${region}`,
      );
    }
  });
});

describe('listening for other machines', () => {
  it('requires another password than the default', () => {
    expect(refusal('--host 0.0.0.0')).to.match(/default password is public.*--admin-password/);
    expect(config('--host 0.0.0.0 --admin-password x').host).to.equal('0.0.0.0');
    expect(config('--host 0.0.0.0', { CUMULET_ADMIN_PASSWORD: 'x' }).host).to.equal('0.0.0.0');
  });

  it('refuses an empty password, on loopback too', () => {
    for (const flags of ['', '--host 0.0.0.0'])
      expect(refusal(flags, { CUMULET_ADMIN_PASSWORD: '' })).to.match(
        /password is empty.*--admin-password <password>/,
      );
  });

  it('refuses an existing cloud that still has the default password', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-'));
    const fields = {
      database: { kind: 'sqlite', folder },
      hosts: '0',
      logLevel: 'silent',
    } as const;
    try {
      await closeCloud(await openCloud(configOf(fields)));
      const outside = { ...fields, host: '0.0.0.0', adminPassword: 'own' };
      const error = await openCloud(configOf(outside)).catch((thrown: Error) => thrown.message);
      expect(error).to.match(
        /^Listening on 0.0.0.0 needs passwords.*admin and demo.*openstack user set --password/,
      );
      await closeCloud(await openCloud(configOf({ ...outside, database: { kind: 'memory' } })));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is refused with noauth2, whatever the password', () => {
    expect(refusal('--host 0.0.0.0 --auth noauth2 --admin-password x')).to.match(
      /every client is an administrator.*Leave out --host 0.0.0.0/,
    );
    expect(refusal('--host :: --auth noauth2')).to.match(/every client is an administrator/);
  });

  it("is refused for --cors-origin '*' too, with the default password and with noauth2", () => {
    expect(refusal('--cors-origin *')).to.match(/default password.*--admin-password <password>/);
    expect(refusal('--cors-origin http://a,*')).to.match(/the pages of all sites can call/);
    expect(refusal('--cors-origin * --auth noauth2 --admin-password x')).to.match(
      /every client is an administrator.*--cors-origin/,
    );
    expect(config('--cors-origin * --admin-password x').corsOrigin).to.deep.equal(['*']);
  });

  it('is detected in --listen too', () => {
    expect(refusal('--listen placement=0.0.0.0:8778')).to.match(/Other machines can reach 0.0.0.0/);
    expect(refusal('--listen placement=10.0.0.1:1 --auth noauth2')).to.match(
      /every client is an administrator/,
    );
  });

  const here = ['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'];
  const elsewhere = [
    '0.0.0.0',
    '::',
    '[::]',
    '10.0.0.1',
    'example.org',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '1127.0.0.1',
    '',
    '::2',
    '::ffff:10.0.0.1',
    'a@127.0.0.1',
  ];
  for (const address of here)
    it(`does not include ${address}`, () => expect(isLoopback(address)).to.equal(true));
  for (const address of elsewhere)
    it(`includes ${address || 'an empty address'}`, () =>
      expect(isLoopback(address)).to.equal(false));
});

describe('the URL of a database', () => {
  it('names memory, a folder, MySQL or MariaDB', () => {
    expect(parseDatabaseUrl('memory:')).to.deep.equal({ kind: 'memory' });
    expect(parseDatabaseUrl('sqlite:a/b')).to.deep.equal({ kind: 'sqlite', folder: 'a/b' });
    expect(parseDatabaseUrl('sqlite:/a/b')).to.deep.equal({ kind: 'sqlite', folder: '/a/b' });
    expect(parseDatabaseUrl('sqlite:///a/b')).to.deep.equal({ kind: 'sqlite', folder: '/a/b' });
    for (const scheme of ['mysql', 'mariadb'])
      expect(parseDatabaseUrl(`${scheme}://me:pw@host:3307/cloud`)).to.include({
        kind: 'mysql',
        name: 'cloud',
      });
  });
});
