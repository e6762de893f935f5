// What is absent is said, whole and no more: api-ref/absent.yaml against the tables of routes, and
// README against it.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { ownDefinitions as cards } from '../../src/services/index.ts';
import type { ServiceDefinition } from '../../src/kernel/model.ts';
import { absent } from '../support/absent.ts';

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8').split('\n');

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
    expect(Object.keys(absent)).to.have.members(cards.map(({ name }) => name));
    for (const operations of Object.values(absent).flatMap((parts) =>
      parts.map((part) => part.operations),
    ))
      for (const operation of operations)
        expect(operation).to.match(/^(GET|POST|PUT|PATCH|DELETE) \/[\w./{}-]+( [\w-]+)?$/);
  });

  for (const definition of cards) {
    it(`of ${definition.name} is not served`, () => {
      const served = absent[definition.name]!.flatMap(({ operations }) =>
        operations.filter((one) => isServed(definition, one)),
      );
      expect(served, 'take these out of api-ref/absent.yaml').to.deep.equal([]);
    });

    it(`of ${definition.name} is named in README`, () => {
      const row = readme.find(
        (line) => line.startsWith('| ') && line.includes(`| \`${definition.prefix}`),
      )!;
      const names = absent[definition.name]!.map(({ name }) => name);
      const said = / Not: (.+) \|$/.exec(row)?.[1] ?? '';
      expect(said, `the row of ${definition.prefix}`).to.equal(names.join(', '));
    });
  }
});
