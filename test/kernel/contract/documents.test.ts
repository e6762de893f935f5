// Tests that the JSON that the build derives from api-ref equals the YAML.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { compileDocuments, readDocument } from '../../../src/kernel/contract/documents.ts';

describe('documents of api-ref', () => {
  it('are equal in JSON and YAML', () => {
    compileDocuments();
    for (const file of readdirSync('api-ref').filter((one) => one.endsWith('.yaml')))
      expect(readDocument(file.slice(0, -5)), file).to.deep.equal(
        parse(readFileSync(`api-ref/${file}`, 'utf8')),
      );
  });
});
