// Tests of the commands for shells: each available shell runs them, and shows its environment.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import {
  shellCommands,
  usualShell,
  withoutProxy,
} from '../../../src/emulator/client-configuration/shells.ts';

const origin = 'http://127.0.0.1:6060';
const value = `it's "$HOME" \\ \`id\` ‘x’`;
const environment = { variables: { OS_PASSWORD: value }, missing: "That's missing." };

const before = {
  PATH: process.env['PATH']!,
  HOME: '/',
  OS_CLOUD: 'other',
  OS_TENANT_ID: 'two\nlines',
  OS_USER_DOMAIN_ID: '',
  NO_PROXY: 'example.org',
};

/** The programs that understand the commands for `sh`. */
const posixShells = ['bash', 'zsh', 'dash'];

describe('commands for a shell', () => {
  for (const program of [...posixShells, 'fish'])
    it(`remove other OS_* variables, and set these, in ${program}`, function () {
      if (spawnSync(program, ['-c', 'true']).error) return this.skip();
      const commands = shellCommands(program === 'fish' ? 'fish' : 'sh', origin, environment);
      // Twice, as in a terminal that is used for long.
      const script = program === 'fish' ? 'eval $argv[1]; eval $argv[1]' : 'eval "$1"; eval "$1"';
      const words = program === 'fish' ? [commands] : ['shell', commands];
      const show = `${process.execPath} -p 'JSON.stringify(process.env)'`;
      const { stdout, stderr } = spawnSync(program, ['-c', `${script}; ${show}`, ...words], {
        env: before,
        encoding: 'utf8',
      });
      const env = JSON.parse(stdout) as Record<string, string>;
      const ofClients = Object.keys(env).filter((name) => name.startsWith('OS_'));
      expect(ofClients).to.deep.equal(['OS_PASSWORD']);
      expect(env['OS_PASSWORD']).to.equal(value);
      expect([env['NO_PROXY'], env['no_proxy']]).to.deep.equal([
        'example.org,127.0.0.1',
        '127.0.0.1',
      ]);
      expect(stderr).to.equal("That's missing.\nThat's missing.\n");
    });

  it('work without any variable of a client, and with the strictest settings', () => {
    const commands = shellCommands('sh', origin, environment);
    for (const program of ['bash', 'dash']) {
      if (spawnSync(program, ['-c', 'true']).error) continue;
      const { status } = spawnSync(program, ['-euc', 'eval "$1"', program, commands], {
        env: { PATH: before.PATH },
      });
      expect(status, program).to.equal(0);
    }
  });

  it('leave proxies alone if the cloud is on another machine', () => {
    for (const shell of ['sh', 'fish', 'powershell'] as const)
      expect(shellCommands(shell, 'http://cloud.example:6060', environment)).not.to.match(/proxy/i);
  });

  it('quote for PowerShell, in which typographic quotes end a text too', () => {
    expect(shellCommands('powershell', origin, environment)).to.equal(
      'Remove-Item Env:OS_*\n' +
        `$env:OS_PASSWORD = 'it''s "$HOME" \\ \`id\` ‘‘x’’'\n` +
        'if (",$env:NO_PROXY," -notlike \'*,127.0.0.1,*\') ' +
        '{ $env:NO_PROXY = "$env:NO_PROXY,127.0.0.1".Trim(\',\') }\n' +
        "Write-Warning 'That''s missing.'\n",
    );
  });

  it('do not contain the host of a malicious Host header unquoted', () => {
    const commands = shellCommands('sh', 'http://$(id):1', { variables: { OS_AUTH_URL: '$(id)' } });
    expect(commands.split('\n').filter((line) => line.includes('$(id)'))).to.deep.equal([
      "export OS_AUTH_URL='$(id)'",
    ]);
  });
});

describe('usualShell', () => {
  it('is PowerShell on Windows, and sh elsewhere', () => {
    expect([usualShell('win32'), usualShell('linux')]).to.deep.equal(['powershell', 'sh']);
  });
});

describe('withoutProxy', () => {
  it('adds the host of this machine once', () => {
    expect(withoutProxy(origin, { NO_PROXY: 'a,127.0.0.1' })).to.deep.equal({
      NO_PROXY: 'a,127.0.0.1',
      no_proxy: '127.0.0.1',
    });
    expect(withoutProxy('http://cloud.example', {})).to.deep.equal({});
  });
});
