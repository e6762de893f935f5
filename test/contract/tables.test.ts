// Tests that each service's table of routes has the same operations at the same versions as its
// api-ref.
import { expect } from 'chai';
import { Contract } from '../../src/kernel/contract/contract.ts';
import { inSpan } from '../../src/kernel/microversion.ts';
import { isObject, type JsonObject } from '../../src/kernel/json.ts';
import { visible } from '../../src/kernel/contract/projection.ts';
import {
  serviceDefinitions as allDefinitions,
  ownDefinitions as definitions,
} from '../../src/services/index.ts';
import type { ServiceDefinition } from '../../src/kernel/model.ts';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

/** The versions of each operation in the table, by a key such as `GET /things/:id`. */
function ofTable({ routes, versions }: ServiceDefinition): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { method, path } of routes) {
    const lines = routes.filter((line) => line.method === method && line.path === path);
    const inside = versions.list.filter((version) =>
      lines.some(({ span }) => inSpan(version, span, versions)),
    );
    found.set(
      `${method} ${path}`,
      inside.map(({ name }) => name),
    );
  }
  return found;
}

function ofDocument({ name, versions }: ServiceDefinition): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [path, item] of Object.entries(new Contract(name).load()['paths'] as JsonObject)) {
    for (const [method, node] of Object.entries(item as JsonObject)) {
      if (!methods.includes(method) || !isObject(node)) continue;
      const inside = versions.list
        .filter((version) => visible(node, version.name))
        .map((version) => version.name);
      found.set(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, inside);
    }
  }
  return found;
}

for (const definition of definitions) {
  describe(`the table of ${definition.name}`, () => {
    const table = ofTable(definition);
    const document = ofDocument(definition);

    it('has exactly the operations of the api-ref', () => {
      expect([...table.keys()].toSorted()).to.deep.equal([...document.keys()].toSorted());
    });

    it('has each operation at the same versions as the api-ref', () => {
      for (const [operation, versions] of table)
        expect(versions, operation).to.deep.equal(document.get(operation));
    });

    it('has each operation at one version at least, and only once at each version', () => {
      for (const [index, line] of definition.routes.entries()) {
        const before = definition.routes
          .slice(0, index)
          .filter(({ method, path }) => method === line.method && path === line.path);
        const inside = definition.versions.list.filter((version) =>
          inSpan(version, line.span, definition.versions),
        );
        expect(inside, `${line.method} ${line.path}`).to.not.deep.equal([]);
        const twice = inside.find((version) =>
          before.some(({ span }) => inSpan(version, span, definition.versions)),
        );
        expect(twice?.name, `${line.method} ${line.path}`).to.equal(undefined);
      }
    });

    it('names only policy rules that exist', () => {
      for (const { policy, path } of definition.routes)
        if (policy !== undefined) expect(definition.policy, path).to.have.property(policy);
    });
  });
}

for (const { name, api, routes, versions, policy } of allDefinitions.filter(
  (definition) => definition.api !== undefined,
))
  describe(`the table of ${name}`, () => {
    const own = definitions.find((definition) => definition.name === api)!;

    it(`has only routes of ${api}, at the same versions and with the same rules`, () => {
      expect(versions).to.equal(own.versions);
      expect(policy).to.equal(own.policy);
      for (const { method, path, span, policy: rule } of routes) {
        const line = own.routes.find(
          (one) => one.method === method && one.path === path && one.span === span,
        );
        expect(line?.policy, `${method} ${path}`).to.equal(rule);
        expect(line, `${method} ${path}`).not.to.equal(undefined);
      }
    });

    it('runs no handler in a transaction, because each calls services with their own', () => {
      expect(routes.filter(({ single }) => !single)).to.deep.equal([]);
    });
  });
