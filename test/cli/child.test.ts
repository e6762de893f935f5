// Tests of how exec starts its command, with the operating system as an argument.
import { expect } from 'chai';
import { childCommand, isPassedOn } from '../../src/cli/child.ts';

const onWindows = (words: readonly string[], files: readonly string[]) =>
  childCommand(words, {
    platform: 'win32',
    env: { Path: 'C:\\one;"C:\\two words"', PATHEXT: '.EXE;.CMD', COMSPEC: 'C:\\cmd.exe' },
    isFile: (path) => files.includes(path),
  });

const batch = (text: string) => ({
  file: 'C:\\cmd.exe',
  args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', text],
  windowsVerbatimArguments: true,
});

describe('childCommand', () => {
  it('leaves a command as given, except on Windows', () => {
    const linux = { platform: 'linux', env: {}, isFile: () => true } as const;
    expect(childCommand(['npm', 'test'], linux)).to.deep.equal({ file: 'npm', args: ['test'] });
  });

  it('finds a program in PATH, by PATHEXT', () => {
    expect(onWindows(['go', 'test'], ['C:\\two words\\go.EXE'])).to.deep.equal({
      file: 'C:\\two words\\go.EXE',
      args: ['test'],
    });
  });

  it('runs a .cmd file with the command interpreter', () => {
    expect(onWindows(['npm', 'run', 'a b'], ['C:\\one\\npm.CMD'])).to.deep.equal(
      batch('""C:\\one\\npm.CMD" "run" "a b""'),
    );
  });

  it('finds a file by its path, with or without its extension', () => {
    const file = 'node_modules\\.bin\\mocha';
    for (const name of [file, `${file}.cmd`, 'node_modules/.bin/mocha'])
      expect(onWindows([name], [`${file}.CMD`, `${file}.cmd`]).args.at(-1)).to.match(
        /^""node_modules\\\.bin\\mocha\.cmd""$/i,
      );
  });

  it('quotes what a batch file would take for its own', () => {
    const last = (word: string): string =>
      onWindows(['npm', word], ['C:\\one\\npm.CMD']).args.at(-1)!.slice(18, -1);
    expect(last('a&b|c')).to.equal('"a&b|c"');
    expect(last('say "hi"')).to.equal('"say ""hi"""');
    expect(last('a\\"b\\')).to.equal('"a\\\\""b\\\\"');
    expect(last('%PATH%')).to.equal('"%%cd:~,%PATH%%cd:~,%"');
  });

  it('refuses an argument of several lines for a batch file', () => {
    expect(() => onWindows(['npm', 'a\nb'], ['C:\\one\\npm.CMD'])).to.throw(/several lines/);
  });

  it('leaves an unknown command to be reported', () => {
    expect(onWindows(['nothing'], [])).to.deep.equal({ file: 'nothing', args: [] });
  });
});

describe('isPassedOn', () => {
  it('is true for a signal that only this process has received', () => {
    expect(isPassedOn('SIGTERM', 'linux', true)).to.equal(true);
    expect(isPassedOn('SIGINT', 'linux', false)).to.equal(true);
  });

  it('is false for Ctrl-C on a terminal, which the command receives too', () => {
    expect(isPassedOn('SIGINT', 'linux', true)).to.equal(false);
  });

  it('is false on Windows, where a signal would kill the command', () => {
    expect(isPassedOn('SIGTERM', 'win32', false)).to.equal(false);
  });
});
