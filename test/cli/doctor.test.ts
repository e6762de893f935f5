// Tests of `cumulet doctor`: what it finds, and how to fix it.
import { expect } from 'chai';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNode, checkProxy, checkVariables } from '../../src/cli/doctor/checks.ts';
import { cumulet } from '../kernel/processes.ts';

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly message: string;
  readonly fix?: string;
}

describe('cumulet doctor', () => {
  const subject = { host: '127.0.0.1', port: 6060, database: { kind: 'memory' } } as const;
  const clean = { http_proxy: '', HTTP_PROXY: '', all_proxy: '', ALL_PROXY: '' };
  const doctor = async (
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; find: (check: string) => Finding }> => {
    const command = cumulet(['doctor', '--json', ...args], { env: { ...clean, ...env } });
    const { code, out, err } = await command.ended;
    expect(err).to.equal('');
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    return { code, find: (check) => findings.find((one) => one.check === check)! };
  };

  it('names the process that holds the port, and exits with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, find } = await doctor(['--port', String(port), '--database', 'memory:']);
    server.close();
    expect(code).to.equal(1);
    const { result, message, fix } = find('port');
    expect(result).to.equal('problem');
    expect(message).to.include(`Port ${port} is already in use`);
    if (process.platform === 'linux') expect(message).to.include(`(process ${process.pid})`);
    expect(fix).to.match(/^Choose another with --port/);
  });

  it('recognizes the emulator at the port, and that it uses the folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    const database = ['--database', `sqlite:${folder}`];
    const emulator = cumulet(['--port', '0', '--log-level', 'warn', ...database]);
    try {
      const [, url] = await emulator.said(/listens at (\S+)\n/);
      const { port } = new URL(url!);
      const { code, find } = await doctor(['--port', port, ...database]);
      expect(code).to.equal(0);
      expect(find('port').message).to.equal(`An emulator runs at ${url}`);
      expect(find('folder')).to.include({ result: 'ok' });
      const other = await doctor(['--port', '0', ...database]);
      expect(other.code).to.equal(1);
      expect(other.find('folder').message).to.match(
        new RegExp(`^Another emulator uses the folder ${folder} \\(process ${emulator.pid}, `),
      );
      expect(other.find('folder').fix).to.match(/^Stop it, or choose another folder/);
    } finally {
      emulator.kill('SIGKILL');
      await emulator.ended;
      rmSync(folder, { recursive: true });
    }
  });

  describe('with a configuration file', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const examine = (text: string) => {
      const file = join(folder, 'cumulet.yaml');
      writeFileSync(file, text);
      return doctor(['--config', file, '--port', '0']);
    };

    it('says that it can be used, and checks its options', async () => {
      const { code, find } = await examine('options: { database: "memory:" }\nworld: full');
      expect(code).to.equal(0);
      expect(find('config').message).to.match(/^The file .*cumulet\.yaml can be used$/);
      expect(find('database').message).to.equal('The state is kept in memory');
    });

    for (const [what, text, problem] of [
      ['its options', 'options:\n  prot: 1', /cumulet\.yaml:2: there is no option 'prot'/],
      ['its world', 'world:\n  hots: 1', /cumulet\.yaml:2: .*'hots' is unknown/],
    ] as const)
      it(`lists a mistake in ${what} beside the other findings, and exits with 1`, async () => {
        const { code, find } = await examine(text);
        expect(code).to.equal(1);
        expect(find('config').result).to.equal('problem');
        expect(find('config').message).to.match(problem);
        expect(find('node').result).to.equal('ok');
      });
  });

  it('creates nothing in a folder that no emulator has used', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    try {
      const used = await doctor(['--port', '0', '--database', `sqlite:${folder}`]);
      expect(used.find('folder').message).to.equal(`The folder ${folder} is writable`);
      const absent = join(folder, 'x', 'y');
      const unused = await doctor(['--port', '0', '--database', `sqlite:${absent}`]);
      expect(unused.find('folder').message).to.equal(`The folder ${absent} can be created`);
      expect(readdirSync(folder)).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reports a folder that cannot be created', async () => {
    const { code, find } = await doctor(['--port', '0', '--database', 'sqlite:/dev/null/x']);
    expect(code).to.equal(1);
    expect(find('folder').message).to.equal('/dev/null is not a writable folder.');
    expect(find('folder').fix).to.match(/^Choose another folder with --database/);
  });

  it('reports a MySQL server that does not answer, without its password', async () => {
    const database = 'mysql://root:geheim@127.0.0.1:1/x';
    const { code, find } = await doctor(['--port', '0', '--database', database]);
    expect(code).to.equal(1);
    const { message, fix } = find('database');
    expect(message)
      .to.match(/127\.0\.0\.1:1.*cannot be opened/)
      .and.not.include('geheim');
    expect(fix).to.equal('Start the server, or name another one with --database.');
  });

  it('says which version of Node.js is needed', () => {
    expect(checkNode('22.1.0').result).to.equal('ok');
    const { result, fix } = checkNode('18.20.8');
    expect(result).to.equal('problem');
    expect(fix).to.match(/^Install a newer one/);
  });

  it('reports OS_* variables that lead elsewhere, without a password', () => {
    const results = (env: Record<string, string>): string[] =>
      checkVariables({ ...subject, env }).map(({ result }) => result);
    expect(results({})).to.deep.equal(['ok']);
    expect(results({ OS_AUTH_URL: 'http://localhost:6060/identity/v3' })).to.deep.equal(['ok']);
    expect(results({ OS_CLOUD: 'cumulet-demo' })).to.deep.equal(['ok']);
    expect(results({ OS_CLOUD: 'production' })).to.deep.equal(['warning']);
    const env = { OS_AUTH_URL: 'https://u:geheim@cloud.example.org:5000/v3' };
    const [{ result, message, fix } = expect.fail()] = checkVariables({ ...subject, env });
    expect(result).to.equal('problem');
    expect(message).to.include('cloud.example.org').and.not.include('geheim');
    expect(fix).to.match(/^eval "\$\(.+ env --url http:\/\/127\.0\.0\.1:6060\)"$/);
  });

  it('reports a proxy that would get the requests to this machine', () => {
    const find = (env: Record<string, string>): string => checkProxy({ ...subject, env }).result;
    const proxy = { http_proxy: 'http://proxy.example.org:3128' };
    expect(find({})).to.equal('ok');
    expect(find(proxy)).to.equal('problem');
    expect(find({ ...proxy, no_proxy: 'example.org, 127.0.0.1' })).to.equal('ok');
    expect(find({ ...proxy, no_proxy: '*' })).to.equal('ok');
    const { fix } = checkProxy({ ...subject, env: { ...proxy, no_proxy: 'example.org' } });
    expect(fix).to.equal(
      "export no_proxy='example.org,127.0.0.1' NO_PROXY='example.org,127.0.0.1'",
    );
  });
});
