// Tests that pages of the documentation are parsed, and their output compared, correctly.
import { expect } from 'chai';
import { missingLine } from './output.ts';
import { blocksOf } from './pages.ts';

const page = (...lines: string[]): string => lines.join('\n');

describe('blocksOf', () => {
  it('returns a shell block with its line and the output that follows', () => {
    const text = page(
      '# Title',
      '',
      '```sh',
      'echo 1',
      'echo 2',
      '```',
      '',
      '```text',
      '1',
      '2',
      '```',
    );
    expect(blocksOf(text)).to.deep.equal([
      { line: 4, code: 'echo 1\necho 2', output: '1\n2', fails: 0 },
    ]);
  });

  it('reads the mark above a block', () => {
    const marked = (mark: string) => blocksOf(page(mark, '```sh', 'false', '```'))[0];
    expect(marked('<!-- not run: it needs MySQL -->')).to.include({ notRun: 'it needs MySQL' });
    expect(marked('<!-- pending: the clock hangs -->')).to.include({ pending: 'the clock hangs' });
    expect(marked('<!-- fails: 1 -->')).to.include({ fails: 1 });
    expect(marked('<!-- needs: packer version -->')).to.include({ needs: 'packer version' });
  });

  it('reads several marks above a block', () => {
    const text = page('<!-- needs: heat -->', '<!-- fails: 1 -->', '```sh', 'heat', '```');
    expect(blocksOf(text)[0]).to.include({ needs: 'heat', fails: 1 });
  });

  it('does not take a text block after prose as output', () => {
    expect(
      blocksOf(page('```sh', 'true', '```', 'Prose.', '```text', 'x', '```'))[0],
    ).not.to.have.property('output');
  });
});

describe('missingLine', () => {
  it('accepts other ids, times and numbers', () => {
    const shown =
      '| 3ddf48ca-7171-4f9f-a0e6-345b6692454b | ACTIVE | 10.0.0.2 |\n2026-11-23T02:58:06Z 11 KiB';
    const actual =
      '| 1e33f658-abc6-4911-aa48-11ceded5ac6a | ACTIVE | 10.0.0.17 |\n2027-01-01T00:00:00Z 9 KiB';
    expect(missingLine(shown, actual)).to.equal(undefined);
  });

  it('returns the first line that is missing or out of order', () => {
    expect(missingLine('one\ntwo', 'two\none')).to.equal('two');
    expect(missingLine('ACTIVE', 'BUILD')).to.equal('ACTIVE');
  });

  it('accepts anything in place of three dots', () => {
    expect(missingLine('one\n...\nthree', 'one\ntwo\nthree')).to.equal(undefined);
    expect(
      missingLine('The server is unavailable. ...', 'The server is unavailable. (HTTP 503)'),
    ).to.equal(undefined);
  });
});
