// Checks api-ref/absent.yaml against the tables of routes and against the pages of the services.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { fileOf, generatedPage, pages } from '../../docs/generate.ts';
import { ownDefinitions as serviceDefinitions } from '../../src/services/index.ts';
import type { ServiceDefinition } from '../../src/kernel/model.ts';
import { absent } from '../support/absent.ts';

/** A path without the names of its parameters. */
const shapeOf = (path: string): string => path.replaceAll(/:\w+|\{\w+\}/g, '*').replace(/\/$/, '');

function isServed({ routes }: ServiceDefinition, operation: string): boolean {
  const [method = '', path = '', action] = operation.split(' ');
  const found = routes.filter(
    (route) => route.method === method && shapeOf(route.path) === shapeOf(path),
  );
  return found.some(
    ({ actions }) =>
      action === undefined || (actions !== undefined && Object.hasOwn(actions, action)),
  );
}

describe('what is absent', () => {
  it('is listed for every service', () => {
    expect(Object.keys(absent)).to.have.members(serviceDefinitions.map(({ name }) => name));
    for (const operations of Object.values(absent).flatMap((parts) =>
      parts.map((part) => part.operations),
    ))
      for (const operation of operations)
        expect(operation).to.match(/^(GET|POST|PUT|PATCH|DELETE) \/[\w./{}-]+( [\w-]+)?$/);
  });

  for (const definition of serviceDefinitions) {
    it(`of ${definition.name} is not served`, () => {
      const served = absent[definition.name]!.flatMap(({ operations }) =>
        operations.filter((one) => isServed(definition, one)),
      );
      expect(served, 'take these out of api-ref/absent.yaml').to.deep.equal([]);
    });
  }

  for (const service of Object.keys(pages))
    it(`of ${service} is listed on its page`, () => {
      expect(readFileSync(fileOf(service), 'utf8'), 'run npx tsx docs/generate.ts').to.equal(
        generatedPage(service),
      );
    });
});
