// Tests of reading the pages of the documentation, and of comparing their output.
import { expect } from 'chai';
import { missingLine } from './output.ts';
import { blocksOf } from './pages.ts';

const page = (...lines: string[]): string => lines.join('\n');

describe('pages of the documentation', () => {
  it('finds a shell block with its line and the output that follows', () => {
    const text = page('# Title', '', '```sh', 'echo 1', 'echo 2', '```', '', '```text', '1', '2', '```');
    expect(blocksOf(text)).to.deep.equal([{ line: 4, code: 'echo 1\necho 2', output: '1\n2', fails: 0 }]);
  });

  it('reads the mark above a block', () => {
    const marked = (mark: string) => blocksOf(page(mark, '```sh', 'false', '```'))[0];
    expect(marked('<!-- not run: it needs MySQL -->')).to.include({ notRun: 'it needs MySQL' });
    expect(marked('<!-- pending: the clock hangs -->')).to.include({ pending: 'the clock hangs' });
    expect(marked('<!-- fails: 1 -->')).to.include({ fails: 1 });
  });

  it('takes a text block after prose for no output', () => {
    expect(blocksOf(page('```sh', 'true', '```', 'Prose.', '```text', 'x', '```'))[0]).not.to.have.property('output');
  });
});

describe('output of the documentation', () => {
  it('may have other ids, times and numbers than the page', () => {
    const shown = '| 3ddf48ca-7171-4f9f-a0e6-345b6692454b | ACTIVE | 10.0.0.2 |\n2026-11-23T02:58:06Z 11 KiB';
    const actual = '| 1e33f658-abc6-4911-aa48-11ceded5ac6a | ACTIVE | 10.0.0.17 |\n2027-01-01T00:00:00Z 9 KiB';
    expect(missingLine(shown, actual)).to.equal(undefined);
  });

  it('must have the lines of the page in their order', () => {
    expect(missingLine('one\ntwo', 'two\none')).to.equal('two');
    expect(missingLine('ACTIVE', 'BUILD')).to.equal('ACTIVE');
  });

  it('may have anything in the place of three dots', () => {
    expect(missingLine('one\n...\nthree', 'one\ntwo\nthree')).to.equal(undefined);
    expect(missingLine('The server is unavailable. ...', 'The server is unavailable. (HTTP 503)')).to.equal(undefined);
  });
});
