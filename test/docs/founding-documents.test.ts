// Tests that every claim of the founding documents is proven by a test, contradicted by upstream,
// or open, and that every tag in a title belongs to a claim.
import { expect } from 'chai';
import { readDocuments, readTaggedTests } from '../../docs/founding-documents.ts';
import { readTree } from '../contract/tree.ts';

describe('the claims of the founding documents', () => {
  const documents = readDocuments();
  const claims = documents.flatMap(({ claims: own }) => own);
  const tests = readTaggedTests();
  const tags = new Set(tests.flatMap((test) => test.tags));

  it('are numbered from 1 on in each document', () => {
    for (const { name, claims: own } of documents)
      expect(own.map(({ id }) => id)).to.deep.equal(own.map((_, at) => `${name}-${at + 1}`));
  });

  it('each have a test, a contradiction by upstream, or what is missing', () => {
    const bare = claims.filter(
      ({ id, contradicted, open }) => !tags.has(id) && !contradicted && !open,
    );
    expect(bare.map(({ id }) => id)).to.deep.equal([]);
  });

  it('are not both contradicted and open', () => {
    const both = claims.filter(({ contradicted, open }) => contradicted && open);
    expect(both.map(({ id }) => id)).to.deep.equal([]);
  });

  it('exist for every tag of a test', () => {
    const known = new Set(claims.map(({ id }) => id));
    const unknown = tests.filter((test) => test.tags.some((tag) => !known.has(tag)));
    expect(unknown).to.deep.equal([]);
  });

  it('are named by tags at the end of titles only', () => {
    const names = documents.map(({ name }) => name).join('|');
    const tag = new RegExp(`#(?:${names})-\\d+`, 'g');
    const count = readTree(['test'], /\.test\.ts$|cases\/[^/]+\.yaml$/)
      .filter(({ path }) => path !== 'test/docs/founding-documents.test.ts')
      .flatMap(({ text }) => text.match(tag) ?? []).length;
    expect(tests.flatMap((test) => test.tags)).to.have.length(count);
  });
});
