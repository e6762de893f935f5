// Tests of cumulet.yaml: which file is read, precedence, mistakes, and `cumulet init`.
import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { valuesOfFile } from '../../src/config-file.ts';
import { presetFile, presetNames } from '../../src/emulator/worlds/presets.ts';
import { worldsFolder } from '../../src/emulator/worlds/read.ts';
import { cumulet, urlOf, type Ended, type Process } from '../kernel/processes.ts';

describe('cumulet.yaml', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'cumulet-config-')));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (text: string, file = join(folder, 'cumulet.yaml')): string => {
    writeFileSync(file, text);
    return file;
  };
  const values = (text: string, given: Record<string, unknown> = {}): Record<string, unknown> =>
    valuesOfFile(write(text), given);
  const errorOf = (text: string): string => {
    try {
      values(text);
    } catch (error) {
      return (error as Error).message.slice(folder.length + 1);
    }
    return 'none';
  };
  const at = (cwd: string, env: Record<string, string> = {}) => ({
    cwd,
    env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ...env },
  });
  const run = (args: readonly string[], cwd = folder, env = {}): Promise<Ended> =>
    cumulet(args, at(cwd, env)).ended;

  describe('its values', () => {
    it('are those of the options, as lists, mappings, numbers or words', () => {
      const text = `options:
  port: 7070
  tls: true
  regions: [One, Two]
  cors-origin: http://a, http://b
  latency: { server.create: 5s, server.delete: 1s }
  native-ports: false
  auth: noauth2
`;
      expect(values(text)).to.deep.equal({
        port: 7070,
        tls: true,
        regions: ['One', 'Two'],
        corsOrigin: ['http://a', 'http://b'],
        latency: { 'server.create': 5_000_000, 'server.delete': 1_000_000 },
        nativePorts: false,
        auth: 'noauth2',
      });
    });

    it('may be missing', () => {
      for (const text of ['', '# nothing', 'options:', 'world:\noptions:\n'])
        expect(values(text)).to.deep.equal({});
    });

    it('have paths that are relative to the file', () => {
      const text = `options:
  policy-dir: policies
  hosts: hosts.yaml
  tls-cert: /etc/cert.pem
  database: sqlite:state
`;
      expect(values(text)).to.deep.equal({
        policyDir: join(folder, 'policies'),
        hosts: join(folder, 'hosts.yaml'),
        tlsCert: '/etc/cert.pem',
        database: { kind: 'sqlite', folder: join(folder, 'state') },
      });
      expect(values('options: { hosts: 12, database: "memory:" }')).to.deep.equal({
        hosts: '12',
        database: { kind: 'memory' },
      });
    });

    it('have a world that is written there, a preset, or another file', () => {
      expect(values('world: { hosts: 4 }')).to.deep.equal({ seed: join(folder, 'cumulet.yaml') });
      expect(values('world: full')).to.deep.equal({ seed: presetFile('full') });
      const file = write('hosts: 2', join(folder, 'small.yaml'));
      expect(values('world: ./small.yaml')).to.deep.equal({ seed: file });
    });

    it('give way to options that replace them', () => {
      const text = 'options: { port: 1, auth: noauth2 }\nworld: full';
      expect(values(text, { port: 2 })).to.deep.equal({
        auth: 'noauth2',
        seed: presetFile('full'),
      });
      for (const given of [{ seed: 'x' }, { preset: 'empty' }])
        expect(values(text, given)).to.deep.equal({ port: 1, auth: 'noauth2' });
      expect(values('options: { preset: full }', { seed: 'x' })).to.deep.equal({});
      expect(values('options: { profile: six-pods }', { regions: ['A'] })).to.deep.equal({});
    });
  });

  const mistakes: readonly (readonly [text: string, message: RegExp])[] = [
    ['options:\n  prot: 1', /^cumulet\.yaml:2: there is no option 'prot'\. Did you mean port\?$/],
    ['options:\n\n  frobnicate: 1', /^cumulet\.yaml:3: .+'frobnicate'\. '.+ start --help' lists /],
    ['options: { config: x.yaml }', /^cumulet\.yaml:1: there is no option 'config'/],
    ['option:\n  port: 1', /^cumulet\.yaml:1: 'option' is unknown\. .+ Did you mean options\?$/],
    [
      'options:\n  port: 70000',
      /^cumulet\.yaml:2: options\.port: '70000' is not valid\. Use a port/,
    ],
    ['options:\n  port:', /^cumulet\.yaml:2: options\.port has no value\./],
    [
      'options:\n  auth: none',
      /^cumulet\.yaml:2: options\.auth: .+ Use one of keystone, noauth2\.$/,
    ],
    ['options:\n  - port', /^cumulet\.yaml:2: options: expected a mapping/],
    ['- port: 1', /^cumulet\.yaml:1: expected a mapping with the keys options and world\.$/],
    ['world: three-zone', /^cumulet\.yaml:1: world: 'three-zone' is .+ Did you mean three-zones\?/],
    ['options:\n  preset: full\nworld: full', /^cumulet\.yaml:3: world and options\.preset contra/],
    ['options:\n  port: 1\n  port: 2', /^cumulet\.yaml:3: Map keys must be unique\.$/],
    ['options: {port: 1', /^cumulet\.yaml:1: /],
    ['options:\n  port: *other', /^cumulet\.yaml: Unresolved alias/],
    ['options:\n  database: mysql://u:pw@h', /^cumulet\.yaml:2: (?!.*pw@).*is not a database URL/],
  ];
  describe('a mistake in it', () => {
    for (const [text, message] of mistakes)
      it(`is reported with its line: ${JSON.stringify(text)}`, () => {
        expect(errorOf(text)).to.match(message);
      });

    it('in the world is reported with its line in the whole file', async () => {
      write(
        'options:\n  auth: noauth2\n\nworld:\n  hosts: 1\n  servers:\n  - { name: a, hots: b }\n',
      );
      const { code, err } = await run(['exec', '--', 'true']);
      expect(code).to.equal(1);
      expect(err).to.match(/^cumulet: cumulet\.yaml:7: 'servers\[0\]\.hots' is unknown\./);
    });
  });

  describe('is found', () => {
    const regionsIn = async (cwd: string, args: readonly string[] = [], env = {}) => {
      const script =
        'fetch(process.env.CUMULET_URL+"/_emulator/regions").then(r=>r.text()).then(console.log)';
      const words = ['exec', '--auth', 'noauth2', ...args, '--', process.execPath, '-e', script];
      const { code, out, err } = await run(words, cwd, env);
      expect(code, err).to.equal(0);
      return (JSON.parse(out) as { regions: { name: string }[] }).regions.map(({ name }) => name);
    };

    it('in a folder above, but not above the repository', async () => {
      write('options: { regions: [Mine] }');
      const inner = join(folder, 'repository', 'tests');
      mkdirSync(inner, { recursive: true });
      expect(await regionsIn(inner)).to.deep.equal(['Mine']);
      mkdirSync(join(folder, 'repository', '.git'));
      expect(await regionsIn(inner)).to.deep.equal(['RegionOne']);
    });

    it('in the working directory only, outside of a repository and of the home folder', async () => {
      write('options: { regions: [Mine] }');
      const inner = join(folder, 'inner');
      mkdirSync(inner);
      const elsewhere = { HOME: join(folder, 'home') };
      expect(await regionsIn(folder, [], elsewhere)).to.deep.equal(['Mine']);
      expect(await regionsIn(inner, [], elsewhere)).to.deep.equal(['RegionOne']);
    });

    it('unless --config or CUMULET_CONFIG names another or none', async () => {
      write('options: { regions: [Mine] }');
      write('options: { regions: [Other] }', join(folder, 'other.yaml'));
      expect(await regionsIn(folder, ['--config', 'other.yaml'])).to.deep.equal(['Other']);
      expect(await regionsIn(folder, ['--no-config'])).to.deep.equal(['RegionOne']);
      const env = { CUMULET_CONFIG: 'other.yaml' };
      expect(await regionsIn(folder, [], env)).to.deep.equal(['Other']);
      expect(await regionsIn(folder, [], { CUMULET_CONFIG: 'off' })).to.deep.equal(['RegionOne']);
      const { code, err } = await run(['exec', '--config', 'missing.yaml', '--', 'true']);
      expect([code, err]).to.satisfy(([status, text]: [number, string]) => {
        return (
          status === 1 && /--config missing\.yaml: no such file\. '.+ init' writes one/.test(text)
        );
      });
    });

    it('after the command line and variables', async () => {
      write('options: { regions: [Mine], listen: nothing=1, workers: 2 }');
      expect(await regionsIn(folder, ['--regions', 'Flag'])).to.deep.equal(['Flag']);
      const env = { CUMULET_REGIONS: 'Variable' };
      expect(await regionsIn(folder, [], env)).to.deep.equal(['Variable']);
    });
  });

  describe('of a running emulator', () => {
    let started: Process | undefined;
    afterEach(async () => {
      started?.kill('SIGTERM');
      await started?.ended;
      started = undefined;
    });

    it('is named by the start, and leads other commands to it', async () => {
      write(
        'options: { port: 0, database: "memory:", control-token: sesame }\nworld: { hosts: 1 }',
      );
      started = cumulet(['start', '--log-level', 'warn'], at(folder));
      await started.said(/Config {3}cumulet\.yaml\n/);
      const { port } = new URL(await urlOf(started));
      write(`options: { port: ${port}, control-token: sesame }`);
      const status = await run(['status', '--json']);
      expect(JSON.parse(status.out)).to.include({ running: true });
      expect((await run(['reset'])).code).to.equal(0);
      const url = `http://127.0.0.1:${port}`;
      expect((await run(['reset', '--url', url])).err).to.match(/CUMULET_CONTROL_TOKEN/);
    });
  });

  describe('cumulet init', () => {
    it('writes a file, which a command then reads, and prints the next commands', async () => {
      const { code, out } = await run(['init']);
      expect(code).to.equal(0);
      expect(out).to.match(/^Wrote cumulet\.yaml, .+\nNext:\n {2}\S.* start {2,}start the cloud/);
      const file = join(folder, 'cumulet.yaml');
      expect(valuesOfFile(file, {})).to.deep.equal({ seed: file });
    });

    it('overwrites a file only with --force', async () => {
      const file = write('world: full');
      const refused = await run(['init', '--preset', 'empty']);
      expect(refused.code).to.equal(1);
      expect(refused.err).to.equal(
        'cumulet: cumulet.yaml exists. Edit it, or overwrite it with --force.\n',
      );
      expect(readFileSync(file, 'utf8')).to.equal('world: full');
      expect((await run(['init', '--preset', 'empty', '--force'])).code).to.equal(0);
      expect(valuesOfFile(file, {})).to.deep.equal({ seed: presetFile('empty') });
    });

    it('names the schema of an installed package, which accepts the file', async () => {
      const schemas = join('node_modules', 'cumulet', 'worlds');
      mkdirSync(join(folder, schemas), { recursive: true });
      writeFileSync(join(folder, schemas, 'cumulet.schema.json'), '{}');
      const inner = join(folder, 'inner');
      mkdirSync(inner);
      for (const preset of [[], ['--preset', 'full']]) {
        await run(['init', '--force', ...preset], inner);
        const text = readFileSync(join(inner, 'cumulet.yaml'), 'utf8');
        expect(text).to.match(
          /^# yaml-language-server: \$schema=\.\.\/node_modules\/cumulet\/worlds\/cumulet\.schema\.json\n/,
        );
        expect(schemaErrors(parse(text))).to.deep.equal([]);
      }
    });

    it('says so if CUMULET_CONFIG leads elsewhere', async () => {
      const { out } = await run(['init'], folder, { CUMULET_CONFIG: 'off' });
      expect(out).to.include('CUMULET_CONFIG says otherwise: unset it first.\n');
    });
  });

  describe('the JSON Schema', () => {
    it('accepts all presets, and the values that the reader accepts', () => {
      for (const world of presetNames()) expect(schemaErrors({ world })).to.deep.equal([]);
      const options = { port: 1, regions: ['A'], 'cors-origin': 'x', 'native-ports': true };
      expect(schemaErrors({ options, world: { hosts: 3 } })).to.deep.equal([]);
      expect(schemaErrors({ options: null, world: null })).to.deep.equal([]);
    });

    it('refuses unknown names and wrong values', () => {
      for (const wrong of [
        { option: {} },
        { options: { prot: 1 } },
        { options: { auth: 'none' } },
        { world: { host: 1 } },
      ])
        expect(schemaErrors(wrong), JSON.stringify(wrong)).to.not.deep.equal([]);
    });
  });
});

/** What the published schema says against the content of a file. */
function schemaErrors(content: unknown): unknown[] {
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(worldsFolder(), name), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(read('world.schema.json'), 'world.schema.json');
  const validate = ajv.compile(read('cumulet.schema.json'));
  return validate(content) ? [] : (validate.errors ?? []);
}
