// The JSON that the build makes of api-ref says what the YAML says.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { compileDocuments, readDocument } from '../../../src/kernel/contract/documents.ts';

describe('the documents of api-ref', () => {
  it('are the same from the build as they are written', () => {
    compileDocuments();
    for (const file of readdirSync('api-ref').filter((one) => one.endsWith('.yaml')))
      expect(readDocument(file.slice(0, -5)), file).to.deep.equal(
        parse(readFileSync(`api-ref/${file}`, 'utf8')),
      );
  });
});
