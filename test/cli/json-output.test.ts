// Tests of --json: what commands print for scripts is what the emulator's API returns.
import { expect } from 'chai';
import { run, type Running } from '../../src/server.ts';
import { configOf } from '../../src/config.ts';
import { faultScenarios } from '../../src/emulator/fault-injection/scenarios.ts';
import { cumulet } from '../kernel/processes.ts';

type Json = Record<string, any>; // eslint-disable-line

describe('--json', () => {
  let running: Running;

  before(async () => {
    running = await run(
      configOf({ port: 0, database: { kind: 'memory' }, logLevel: 'silent', hosts: '0' }),
    );
  });
  after(() => running.stop());

  const shown = async (path: string): Promise<Json> =>
    (await (await fetch(`${running.origin}/_emulator${path}`)).json()) as Json;
  const command = async (...words: readonly string[]) =>
    cumulet([...words, '--json', '--url', running.origin]).ended;
  /** What a command prints, which must be JSON. */
  const printed = async (...words: readonly string[]): Promise<any> => {
    // eslint-disable-line
    const { code, out, err } = await command(...words);
    expect([code, err]).to.deep.equal([0, '']);
    return JSON.parse(out) as Json;
  };

  it('region add prints the region', async () => {
    const region = await printed('region', 'add', 'Two', '--from', 'RegionOne');
    expect(region).to.deep.equal({ name: 'Two', path: '/Two', central: false });
    expect(await shown('/regions/Two')).to.deep.equal({ region });
  });

  it('fault add prints the rule with its id', async () => {
    const fault = await printed('fault', 'add', '--service', 'placement', '--status', '503');
    expect(fault).to.include({ matched: 0, hit: 0 });
    expect(await shown(`/faults/${fault.id}`)).to.deep.equal({ fault });
  });

  it('fault scenario prints the rules that it has added', async () => {
    const { name, rules } = faultScenarios.find((scenario) => scenario.rules.length > 1)!;
    const before = await shown('/faults');
    const added = await printed('fault', 'scenario', name);
    expect(added.map(({ match }: Json) => match)).to.deep.equal(rules.map(({ match }) => match));
    expect(await shown('/faults')).to.deep.equal({ faults: [...before['faults'], ...added] });
  });

  it('env prints the variables, and what is missing', async () => {
    const reply = await printed('env');
    expect(reply).to.deep.equal(await shown('/environment'));
    expect(reply).to.deep.include({ missing: null });
    expect(reply.environment).to.include({ OS_AUTH_URL: `${running.origin}/identity/v3` });
  });

  it('env refuses a shell, which JSON does not depend on', async () => {
    const { code, err } = await command('env', '--shell', 'fish');
    expect(code).to.equal(1);
    expect(err).to.match(/^error: option '--shell <name>' cannot be used with option '--json'/);
  });

  it('snapshot save prints the snapshot', async () => {
    const snapshot = await printed('snapshot', 'save', 'first');
    expect(snapshot).to.include({ name: 'first' });
    expect(await shown('/snapshots/first')).to.deep.equal({ snapshot });
  });

  it('project create prints the credentials, and delete what it has deleted', async () => {
    const project = await printed('project', 'create', '--name', 'mine');
    expect(project).to.include({ name: 'mine' });
    expect(project.env).to.include({ OS_PROJECT_NAME: 'mine' });
    const removed = await printed('project', 'delete', project.id as string);
    expect(removed).to.include({ domains: 1, users: 1 });
  });

  it('presets prints the world of a preset', async () => {
    const { code, out } = await cumulet(['presets', 'three-zones', '--json']).ended;
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.include.keys('description', 'hosts');
  });
});
