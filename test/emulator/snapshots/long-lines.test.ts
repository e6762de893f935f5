// Tests of the reader of documents with long lines, such as that of an image with much data.
import { expect } from 'chai';
import { linesIn } from '../../../src/emulator/snapshots/document-reader.ts';
import { expectLinear } from '../../support/linear-cost.ts';

async function* chunksOf(text: string, size = 16_384): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function textsIn(text: string, chunkSize?: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const line of linesIn(chunksOf(text, chunkSize))) {
    texts.push(line.text);
    expect(line.number).to.equal(texts.length);
  }
  return texts;
}

describe('lines of a document', () => {
  it('are joined whatever the chunks are', async () => {
    for (const size of [1, 2, 3, 7, 100])
      expect(await textsIn('é1\n\nabc\n😀', size)).to.deep.equal(['é1', '', 'abc', '😀']);
  });

  it('return 400 if one is too long', async () => {
    const error = await textsIn(`a\n${'x'.repeat(33 * 1024 * 1024)}`, 65_536).catch(String);
    expect(error).to.contain('Line 2 of the document is invalid: it is too long');
  });

  it('take time linear in their length', () =>
    expectLinear(3 * 1024 * 1024, async (size) => {
      expect(await textsIn('x'.repeat(size))).to.have.length(1);
    }));
});
