// Compares the client libraries with the contract of the emulator's API: operations, parameters
// and fields.
import { join } from 'node:path';
import { expect } from 'chai';
import { readDocument } from '../../src/kernel/contract/documents.ts';
import { packageRoot, packageVersion } from '../../src/kernel/package-root.ts';
import { readGo } from './client-libraries/go.ts';
import { readPython } from './client-libraries/python.ts';

/** Operations that the libraries leave out, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'index:show': 'it is a page for browsers, and info:show has the same for programs',
  'openrc:show': 'it is for shells, and environment:show has the same for programs',
  'page:open': 'it is for browsers',
  'page:show': 'it is for browsers',
  'page_files:show': 'it is for browsers',
  'changes:stream': 'its reply has no end; it is for pages that show a cloud',
  'notifications:stream': 'its reply has no end; a list goes on after a notification with `after`',
};

/** Parameters that a library leaves out, each with the reason. */
const leftOutParameters: Readonly<Record<string, string>> = {
  'Go clock:advance weeks': 'a time.Duration is sent in seconds',
  'Go clock:advance days': 'a time.Duration is sent in seconds',
  'Go clock:advance hours': 'a time.Duration is sent in seconds',
  'Go clock:advance minutes': 'a time.Duration is sent in seconds',
};

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name?: string;
  readonly $ref?: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}

/** The operations of a path by method, beside the parameters that they share. */
type Path = { readonly parameters?: readonly Parameter[] } | Readonly<Record<string, Operation>>;

const document = readDocument('emulator') as unknown as {
  readonly paths: Readonly<Record<string, Path>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};

const all = Object.entries(document.paths).flatMap(([path, { parameters = [], ...methods }]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    id: operation.operationId,
    request: `${method.toUpperCase()} ${path}`,
    parameters: parametersOf(operation, parameters as readonly Parameter[]),
  })),
);
const operations = all.filter(({ id }) => !(id in leftOut));

/** The names of all parameters of an operation, and of the fields of its body. */
function parametersOf(operation: Operation, shared: readonly Parameter[]): string[] {
  const parameters = [...shared, ...(operation.parameters ?? [])].map(
    ({ name, $ref }) => name ?? document.components.parameters[$ref!.split('/').at(-1)!]!.name!,
  );
  const bodies = Object.values(operation.requestBody?.content ?? {});
  return [...parameters, ...bodies.flatMap(({ schema }) => Object.keys(schema.properties ?? {}))];
}

const libraries = {
  Go: readGo(join(packageRoot(), 'clients', 'go')),
  Python: readPython(join(packageRoot(), 'clients', 'python')),
};

for (const [name, library] of Object.entries(libraries))
  describe(`client library for ${name}`, () => {
    it('has every operation of the contract, with its method and path', () => {
      const expected = Object.fromEntries(operations.map(({ id, request }) => [id, request]));
      expect(library.operations).to.deep.equal(expected);
    });

    it('has a method for every operation', () => {
      const missing = operations.filter(({ id }) => !(id in library.parameters));
      expect(missing.map(({ id }) => id)).to.deep.equal([]);
    });

    it('takes every parameter and every field of a body', () => {
      const missing = operations.flatMap(({ id, parameters }) =>
        parameters
          .filter((one) => !library.parameters[id]?.includes(one))
          .map((one) => `${name} ${id} ${one}`),
      );
      const expected = Object.keys(leftOutParameters).filter((one) => one.startsWith(`${name} `));
      expect(missing.toSorted()).to.deep.equal(expected.toSorted());
    });

    it('has types with the fields of the schemas', () => {
      const schemas = Object.entries(document.components.schemas).filter(
        ([schema]) => schema in library.fields,
      );
      expect(schemas).to.have.length.greaterThan(15);
      for (const [schema, { properties = {} }] of schemas)
        expect(library.fields[schema]!.toSorted(), schema).to.deep.equal(
          Object.keys(properties).toSorted(),
        );
    });

    if (library.version !== undefined)
      it('has the version of the package', () => {
        expect(library.version).to.equal(packageVersion());
      });
  });

describe('operations that client libraries leave out', () => {
  it('exist in the contract', () => {
    const ids = all.map(({ id }) => id);
    expect(Object.keys(leftOut).filter((id) => !ids.includes(id))).to.deep.equal([]);
  });
});
