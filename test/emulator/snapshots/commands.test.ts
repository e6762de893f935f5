// Tests of the commands `cumulet snapshot`, `export` and `import`, and of --seed with `cumulet
// exec`.
import { expect } from 'chai';
import { commandName } from '../../../src/kernel/command-line.ts';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Running } from '../../../src/server.ts';
import { configOf } from '../../../src/config.ts';
import * as commands from '../../../src/emulator/snapshots/commands.ts';
import { cumulet } from '../../kernel/processes.ts';

const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };

describe('cumulet snapshot, export and import', () => {
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
  const address = () => ({ url: running.origin, controlToken: 'secret' });
  const errorOf = (run: Promise<void>): Promise<string> =>
    run.then(
      () => 'none',
      (error: Error) => error.message,
    );
  /** The exit code and the output of a command. */
  const command = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await cumulet([...args, '--url', running.origin], {
      env: { CUMULET_CONTROL_TOKEN: 'secret' },
    }).ended;
    return `${code} ${out}${err}`;
  };

  it('snapshot save and restore switch between states', async () => {
    await commands.saveSnapshot('empty', address());
    await make('a');
    await commands.saveSnapshot('with-a', address());
    await commands.restoreSnapshot('empty', address());
    expect(await names()).to.deep.equal([]);
    await commands.restoreSnapshot('with-a', address());
    expect(await names()).to.deep.equal(['a']);
  });

  it('snapshot list prints a line for each snapshot', async () => {
    const lines =
      /^0 empty {2}taken \S+Z, at \S+Z by its clock {2}RegionOne {2}\d+ KiB\nwith-a {2}.*\n$/;
    expect(await command('snapshot', 'list')).to.match(lines);
  });

  it('snapshot drop deletes a snapshot', async () => {
    expect(await command('snapshot', 'drop', 'with-a')).to.equal('0 ');
    expect(await errorOf(commands.restoreSnapshot('with-a', address()))).to.equal(
      "There is no snapshot 'with-a'. Snapshots: empty.",
    );
  });

  it('snapshot save reports an invalid name', async () => {
    expect(await command('snapshot', 'save', 'a b')).to.match(
      /^1 cumulet: 'a b' is not a valid snapshot name/,
    );
  });

  describe('export', () => {
    const file = join(folder, 'state.ndjson');

    it('writes a file that only its owner can read, and import restores it', async () => {
      writeFileSync(file, 'old', { mode: 0o644 });
      await commands.exportTo(file, address());
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(existsSync(`${file}.part`)).to.equal(false);
      const before = await names();
      await make('later');
      expect(await command('import', file)).to.equal('0 ');
      expect(await names()).to.deep.equal(before);
    });

    it('writes to standard output without a file', async () => {
      await commands.exportTo(file, address());
      expect((await command('export')).split('\n').slice(1)).to.deep.equal(
        readFileSync(file, 'utf8').split('\n').slice(1),
      );
    });

    it('--snapshot exports a snapshot, and keeps the file if there is none of that name', async () => {
      await commands.saveSnapshot('s', address());
      await commands.exportTo(file, { ...address(), snapshot: 's' });
      expect(await errorOf(commands.exportTo(file, { ...address(), snapshot: 'none' }))).to.match(
        /^There is no snapshot 'none'/,
      );
      expect(readFileSync(file, 'utf8')).to.match(/"end":true/);
    });

    it('reports a file that cannot be written, and an unreachable emulator', async () => {
      const none = join(folder, 'none');
      expect(await errorOf(commands.exportTo(join(none, 'x'), address()))).to.match(
        /^.*x cannot be written: ENOENT/,
      );
      expect(await errorOf(commands.exportTo(none, { url: 'http://127.0.0.1:1' }))).to.match(
        /^No emulator answers at http:\/\/127.0.0.1:1/,
      );
    });
  });

  describe('import', () => {
    it('reports a missing file', async () => {
      const none = join(folder, 'none');
      expect(await errorOf(commands.importFrom(none, address()))).to.equal(
        `There is no file ${none}. '${commandName()} export ${none}' writes one.`,
      );
    });

    it('reports the first invalid line, even if the file is still being sent', async () => {
      const broken = join(folder, 'broken');
      writeFileSync(broken, 'x\n'.repeat(4_000_000));
      expect(await errorOf(commands.importFrom(broken, address()))).to.match(
        /^Line 1 of the document is invalid: it is not JSON/,
      );
      expect(await command('import', broken)).to.match(/^1 cumulet: Line 1 of the document/);
    });
  });

  it('exec --seed starts a cloud from an exported file', async () => {
    await make('of the seed');
    const file = join(folder, 'seed.ndjson');
    await commands.exportTo(file, address());
    const script =
      "fetch(process.env.CUMULET_URL + '/placement/resource_providers', { headers: { " +
      "'x-auth-token': 'admin' } }).then((answer) => answer.text()).then(console.log)";
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
