// Tests of the completion scripts: bash completes with its own, the others are checked for syntax.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completedShells, completionScript } from '../../src/cli/completion/scripts.ts';
import { placesOf } from '../../src/cli/completion/words.ts';
import { cumuletProgram } from '../../src/cli/program.ts';
import { cumulet } from '../kernel/processes.ts';

const program = cumuletProgram();
const places = placesOf(program);
const scriptFor = (shell: (typeof completedShells)[number]): string =>
  completionScript(shell, places);

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): string[] {
  const text = `${scriptFor('bash')}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_cumulet
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', text, 'bash', 'cumulet', ...words], {
    encoding: 'utf8',
  });
  expect([status, stderr]).to.deep.equal([0, '']);
  return stdout.split('\n').filter(Boolean);
}

describe('cumulet completion', () => {
  it('completes commands, and the options of start without one', () => {
    expect(offered('sna')).to.deep.equal(['snapshot']);
    expect(offered('')).to.include.members(program.commands.map((command) => command.name()));
    expect(offered('--por')).to.deep.equal(['--port']);
  });

  it('completes the subcommands and options of a command', () => {
    expect(offered('region', '')).to.include.members(['list', 'add', 'drop']);
    expect(offered('region', 'add', '--f')).to.deep.equal(['--from']);
    expect(offered('start', '--detach', '--admin')).to.deep.equal(['--admin-password']);
    expect(offered('start', '--no-')).to.deep.equal([]);
  });

  it('completes the values of an option and of an argument', () => {
    expect(offered('start', '--log-format', '')).to.deep.equal(['auto', 'text', 'json']);
    expect(offered('start', '--log-level', 'w')).to.deep.equal(['warn']);
    expect(offered('completion', 'b')).to.deep.equal(['bash']);
  });

  it('leaves the value of other options to the shell, which completes files', () => {
    expect(offered('start', '--policy-dir', '')).to.deep.equal([]);
  });

  it('knows all commands and options', () => {
    const visit = (command: typeof program, words: readonly string[]): void => {
      const known = offered(...words, '');
      for (const { hidden, long } of command.options)
        if (!hidden && long != null) expect(known, words.join(' ')).to.include(long);
      for (const below of command.commands) {
        expect(known).to.include(below.name());
        visit(below, [...words, below.name()]);
      }
    };
    visit(program, []);
  });

  for (const shell of completedShells)
    it(`writes a script that ${shell} can read`, function () {
      const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
      const file = join(folder, 'script');
      writeFileSync(file, scriptFor(shell));
      const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') this.skip();
      expect([status, stderr]).to.deep.equal([0, '']);
    });

  it('is a command, which refuses an unknown shell', async () => {
    const { code, out } = await cumulet(['completion', 'bash']).ended;
    expect([code, out]).to.deep.equal([0, scriptFor('bash')]);
    const refused = await cumulet(['completion', 'tcsh']).ended;
    expect(refused.code).to.equal(1);
    expect(refused.err).to.include('Allowed choices are bash, zsh, fish.');
  });
});
