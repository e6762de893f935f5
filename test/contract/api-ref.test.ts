// Tests that the documents in api-ref follow the rules of api-ref/README.md.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { Contract } from '../../src/kernel/contract/contract.ts';
import { ajvFormats } from '../../src/kernel/contract/formats.ts';
import { compareVersions, project, visible } from '../../src/kernel/contract/projection.ts';
import { isObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { ownDefinitions as definitions } from '../../src/services/index.ts';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly node: JsonObject;
  readonly id: string;
}

/** Yields every object of a document with its path. */
function* nodes(
  node: Json | undefined,
  path = '#',
): Generator<readonly [path: string, node: JsonObject]> {
  if (Array.isArray(node))
    for (const [index, item] of (node as Json[]).entries()) yield* nodes(item, `${path}/${index}`);
  if (!isObject(node)) return;
  yield [path, node];
  for (const [key, child] of Object.entries(node)) yield* nodes(child, `${path}/${key}`);
}

const part = (node: JsonObject, key: string): JsonObject => (node[key] ?? {}) as JsonObject;

it('api-ref has a document for each service and absent.yaml, and no other YAML file', () => {
  const documents = readdirSync(join(packageRoot(), 'api-ref')).filter((name) =>
    name.endsWith('.yaml'),
  );
  expect(documents.toSorted()).to.deep.equal(
    ['absent', ...definitions.map(({ name }) => name)].map((name) => `${name}.yaml`).toSorted(),
  );
});

for (const { name, versions } of definitions) {
  describe(`the api-ref of ${name}`, () => {
    const document = new Contract(name).load();
    const operations: Operation[] = Object.entries(part(document, 'paths')).flatMap(
      ([path, item]) =>
        Object.entries(item as JsonObject)
          .filter(([method]) => methods.includes(method))
          .map(([method, node]) => ({
            path,
            method,
            node: node as JsonObject,
            id: String((node as JsonObject)['operationId']),
          })),
    );
    const parametersOf = ({ path, node }: Operation): JsonObject[] => {
      const all = [
        ...((part(part(document, 'paths'), path)['parameters'] ?? []) as JsonObject[]),
        ...((node['parameters'] ?? []) as JsonObject[]),
      ];
      return all.map((parameter) => project(document, parameter, versions.max.name) as JsonObject);
    };

    it('is OpenAPI 3.1 with operations', () => {
      expect(document['openapi']).to.equal('3.1.0');
      expect(operations).to.have.length.greaterThan(5);
    });

    it('names each operation noun:verb, uniquely', () => {
      for (const { id } of operations) expect(id).to.match(/^[a-z]\w*:[a-z_]+$/);
      const ids = operations.map(({ id }) => id);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).to.deep.equal([]);
    });

    it('describes the purpose of each operation', () => {
      const undescribed = operations.filter(({ node }) => !node['description'] && !node['summary']);
      expect(undescribed.map(({ id }) => id)).to.deep.equal([]);
    });

    it('refers only to existing components, and uses every component', () => {
      const referred = new Set<string>();
      for (const [path, node] of nodes(document)) {
        const reference = node['$ref'];
        if (typeof reference !== 'string') continue;
        expect(reference, path).to.match(
          /^#\/components\/(schemas|parameters|responses|headers|requestBodies)\/\w+$/,
        );
        const [kind, component] = reference.split('/').slice(2);
        expect(part(part(document, 'components'), kind!), path).to.have.property(component!);
        referred.add(reference);
      }
      const existing = Object.entries(part(document, 'components'))
        .filter(([kind]) => kind !== 'securitySchemes')
        .flatMap(([kind, all]) =>
          Object.keys(all as JsonObject).map((component) => `#/components/${kind}/${component}`),
        );
      expect(existing.filter((reference) => !referred.has(reference))).to.deep.equal([]);
    });

    it('has version spans from an older to a newer version of the service, as strings', () => {
      for (const [path, node] of nodes(document)) {
        const extension = node['x-openstack'];
        if (!isObject(extension)) continue;
        const known = [
          'min-ver',
          'max-ver',
          'discriminator',
          'name-pattern',
          'unknown-query',
          'secret',
        ];
        expect(
          Object.keys(extension).filter((key) => !known.includes(key)),
          path,
        ).to.deep.equal([]);
        const { 'min-ver': from, 'max-ver': to } = extension;
        for (const end of [from, to].filter((one) => one !== undefined)) {
          expect(
            typeof end === 'string' && versions.find(end) !== undefined,
            `${path}: ${JSON.stringify(end)}`,
          ).to.equal(true);
        }
        if (from !== undefined && to !== undefined)
          expect(compareVersions(from as string, to as string), path).to.be.at.most(0);
      }
    });

    it('has at most one variant for each version wherever the version selects one', () => {
      for (const [path, node] of nodes(document)) {
        if (part(node, 'x-openstack')['discriminator'] !== 'microversion') continue;
        for (const { name: version } of versions.list) {
          const left = (node['oneOf'] as Json[]).filter((variant) => visible(variant, version));
          expect(left.length, `${path} at ${version}`).to.be.at.most(1);
        }
      }
    });

    it('declares exactly the parameters of its paths', () => {
      for (const operation of operations) {
        const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
        const declared = parametersOf(operation).filter((parameter) => parameter['in'] === 'path');
        expect(
          declared.map((parameter) => parameter['name']).toSorted(),
          operation.id,
        ).to.deep.equal(inPath.toSorted());
        for (const parameter of declared)
          expect(parameter['required'], operation.id).to.equal(true);
      }
    });

    it('describes query parameters as strings or arrays of strings', () => {
      for (const operation of operations) {
        for (const parameter of parametersOf(operation).filter((one) => one['in'] === 'query')) {
          const { type = 'string', items } = part(parameter, 'schema');
          expect(
            type === 'string' ||
              (type === 'array' && part({ items: items! }, 'items')['type'] === 'string'),
            `${operation.id} ${String(parameter['name'])}`,
          ).to.equal(true);
        }
      }
    });

    it('has no defaults, because a validator would add them to bodies', () => {
      for (const [path, node] of nodes(document))
        if (!path.endsWith('/properties')) expect(node, path).to.not.have.property('default');
    });

    it('uses only known formats', () => {
      const used = [...nodes(document)]
        .map(([, node]) => node['format'])
        .filter((format) => typeof format === 'string');
      expect([...new Set(used)].filter((format) => !(format in ajvFormats()))).to.deep.equal([]);
    });

    it('compiles at every version, including patterns and formats', function () {
      const ajv = new Ajv2020({
        strict: false,
        formats: ajvFormats(),
        unicodeRegExp: true,
        logger: false,
      });
      const compiled = new Set<string>();
      for (const { name: version } of versions.list) {
        for (const { node, id } of operations.filter((operation) =>
          visible(operation.node, version),
        )) {
          for (const [path, media] of nodes(project(document, node, version))) {
            const schema = media['schema'];
            if (schema === undefined) continue;
            const text = JSON.stringify(schema);
            if (compiled.has(text)) continue;
            compiled.add(text);
            expect(
              () => ajv.compile(schema as object),
              `${id} at ${version} ${path}`,
            ).to.not.throw();
            expect(text, `${id} at ${version} ${path}`).to.not.match(
              /"(\$ref|min-ver|max-ver|discriminator)":/,
            );
          }
        }
      }
      expect(compiled.size).to.be.greaterThan(5);
    });

    it('sets additionalProperties in replies, and requires only described properties', () => {
      for (const { name: version } of [versions.min, versions.max]) {
        for (const { node, id } of operations.filter((operation) =>
          visible(operation.node, version),
        )) {
          for (const [path, schema] of nodes(
            part(project(document, node, version) as JsonObject, 'responses'),
          )) {
            if (schema['type'] !== 'object' || !isObject(schema['properties'])) continue;
            // Keystone stores extra attributes of its resources, so only the objects around them
            // are closed.
            if (name !== 'identity' || path.endsWith('/schema'))
              expect(schema, `${id} ${path}`).to.have.property('additionalProperties');
            for (const required of (schema['required'] ?? []) as string[])
              expect(schema['properties'], `${id} ${path}`).to.have.property(required);
          }
        }
      }
    });

    it('lists a success status for each operation at each of its versions', () => {
      for (const { name: version } of versions.list) {
        for (const { node, id } of operations.filter((operation) =>
          visible(operation.node, version),
        )) {
          const statuses = Object.keys(
            part(project(document, node, version) as JsonObject, 'responses'),
          ).map(Number);
          expect(
            statuses.some((status) => status >= 200 && status < 400),
            `${id} at ${version}`,
          ).to.equal(true);
        }
      }
    });
  });
}
