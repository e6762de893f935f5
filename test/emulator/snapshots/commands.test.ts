// Tests of the commands for the state of a running emulator: snapshot, export, import, and --seed.
import { expect } from 'chai';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Running } from '../../../src/cli/server.ts';
import { configOf } from '../../../src/cli/config.ts';
import * as commands from '../../../src/emulator/snapshots/commands.ts';
import { cumulet } from '../../kernel/processes.ts';

const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };

describe('the commands for states', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
  let running: Running;

  before(async () => {
    running = await run(
      configOf({
        port: 0,
        database: { kind: 'memory' },
        auth: 'noauth2',
        logLevel: 'silent',
        hosts: '0',
        controlToken: 'secret',
      }),
    );
  });

  after(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });

  const make = async (name: string): Promise<void> => {
    const body = JSON.stringify({ name });
    await fetch(`${running.origin}/placement/resource_providers`, {
      method: 'POST',
      headers,
      body,
    });
  };
  const names = async (): Promise<string[]> => {
    const answer = await fetch(`${running.origin}/placement/resource_providers`, { headers });
    return (
      (await answer.json()) as { resource_providers: { name: string }[] }
    ).resource_providers.map(({ name }) => name);
  };
  const reach = () => ({ url: running.origin, controlToken: 'secret' });
  const why = (asked: Promise<void>): Promise<string> =>
    asked.then(
      () => 'none',
      (error: Error) => error.message,
    );
  /** What the command line says, and its exit code. */
  const command = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await cumulet([...args, '--url', running.origin], {
      env: { CUMULET_CONTROL_TOKEN: 'secret' },
    }).ended;
    return `${code} ${out}${err}`;
  };

  it('keep states by name, and go back to them', async () => {
    await commands.saveSnapshot('empty', reach());
    await make('a');
    await commands.saveSnapshot('with-a', reach());
    await commands.restoreSnapshot('empty', reach());
    expect(await names()).to.deep.equal([]);
    await commands.restoreSnapshot('with-a', reach());
    expect(await names()).to.deep.equal(['a']);
    const listed =
      /^0 empty {2}taken \S+Z, at \S+Z by its clock {2}RegionOne {2}\d+ KiB\nwith-a {2}.*\n$/;
    expect(await command('snapshot', 'list')).to.match(listed);
    expect(await command('snapshot', 'drop', 'with-a')).to.equal('0 ');
    expect(await why(commands.restoreSnapshot('with-a', reach()))).to.equal(
      "There is no snapshot 'with-a'. Snapshots: empty.",
    );
  });

  it('write a file for its owner only, whole or not at all, and take it back', async () => {
    const file = join(folder, 'state.ndjson');
    writeFileSync(file, 'old', { mode: 0o644 });
    await commands.exportTo(file, reach());
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(existsSync(`${file}.part`)).to.equal(false);
    const before = await names();
    await make('later');
    expect(await command('import', file)).to.equal('0 ');
    expect(await names()).to.deep.equal(before);
    expect((await command('export')).split('\n').slice(1)).to.deep.equal(
      readFileSync(file, 'utf8').split('\n').slice(1),
    );
    await commands.saveSnapshot('s', reach());
    await commands.exportTo(file, { ...reach(), snapshot: 's' });
    expect(await why(commands.exportTo(file, { ...reach(), snapshot: 'none' }))).to.match(
      /^There is no snapshot 'none'/,
    );
    expect(readFileSync(file, 'utf8')).to.match(/"end":true/);
  });

  it('say what to do where it cannot be', async () => {
    const none = join(folder, 'none');
    expect(await why(commands.importFrom(none, reach()))).to.equal(
      `There is no file ${none}. 'cumulet export ${none}' writes one.`,
    );
    expect(await why(commands.exportTo(join(none, 'x'), reach()))).to.match(
      /^.*x cannot be written: ENOENT/,
    );
    expect(await why(commands.exportTo(none, { url: 'http://127.0.0.1:1' }))).to.match(
      /^No emulator answers at http:\/\/127.0.0.1:1/,
    );
    const broken = join(folder, 'broken');
    // So long that it is refused while it is being sent.
    writeFileSync(broken, 'x\n'.repeat(4_000_000));
    expect(await why(commands.importFrom(broken, reach()))).to.match(
      /^Line 1 of the document cannot be read: it is no JSON/,
    );
    expect(await command('import', broken)).to.match(/^1 cumulet: Line 1 of the document/);
    expect(await command('snapshot', 'save', 'a b')).to.match(
      /^1 cumulet: 'a b' cannot be a snapshot's name/,
    );
  });

  it('start a cloud from a file, for the time of a command too', async () => {
    await make('of the seed');
    const file = join(folder, 'seed.ndjson');
    await commands.exportTo(file, reach());
    const script = `fetch(process.env.CUMULET_URL + '/placement/resource_providers', { headers: { 'x-auth-token': 'admin' } }).then((answer) => answer.text()).then(console.log)`;
    const { out, code, err } = await cumulet([
      'exec',
      '--auth',
      'noauth2',
      '--seed',
      file,
      '--',
      process.execPath,
      '-e',
      script,
    ]).ended;
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.contain('of the seed');
  });
});
