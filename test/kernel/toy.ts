// A small service for tests of the kernel, with a contract in the test instead of api-ref.
import { loadPolicy } from '../../src/kernel/oslo/policy.ts';
import { Contract } from '../../src/kernel/contract/contract.ts';
import { reply } from '../../src/kernel/http/reply.ts';
import { versions } from '../../src/kernel/microversion.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { mount } from '../../src/kernel/http/routing.ts';
import { enforceContract, plainRefusals } from '../../src/kernel/http/steps.ts';
import type { Cloud, ServiceDefinition, Route, Service } from '../../src/kernel/model.ts';

export const toyVersions = versions('toy', {
  '1.0': 'first',
  '1.1': 'second',
  '1.2': 'third',
  '1.10': 'last',
});

/** A contract from an object instead of a file. */
export class Written extends Contract {
  private readonly written: JsonObject;

  constructor(paths: object, components: object = {}) {
    super('toy');
    this.written = { paths, components } as unknown as JsonObject;
  }

  override load(): JsonObject {
    return this.written;
  }
}

/** A contract that allows any body and any reply. */
export function loosely(routes: readonly Route[]): Written {
  const paths: Record<string, Record<string, object>> = {};
  const anything = { content: { 'application/json': { schema: {} } } };
  const responses = Object.fromEntries(
    [200, 201, 204, 400, 404, 409, 500, 503].map((status) => [status, anything]),
  );
  for (const { method, path } of routes) {
    const place = (paths[path.replaceAll(/:(\w+)/g, '{$1}')] ??= {});
    const requestBody =
      method === 'GET' ? {} : { requestBody: { content: { 'application/json': { schema: {} } } } };
    place[method.toLowerCase()] = { operationId: `${method} ${path}`, ...requestBody, responses };
  }
  return new Written(paths);
}

/** A service of the region. Its error format is `{ toy: message }`. */
export function toy(
  routes: readonly Route[],
  fields: Partial<ServiceDefinition> = {},
  contract: Contract = loosely(routes),
): Service {
  const definition: ServiceDefinition = {
    name: 'toy',
    description: 'Toy',
    prefix: '/toy',
    database: 'region',
    versions: toyVersions,
    routes,
    policy: {},
    beforeRouting: [],
    beforeHandler: [enforceContract(plainRefusals)],
    renderError: (error) => reply(error.status, { toy: error.message }, error.headers),
    bodyLimit: 1000,
    ...fields,
  };
  return mount(definition, loadPolicy({}, {}), contract);
}

/** The cloud with one more service. */
export const withToy = (cloud: Cloud, service: Service): Cloud => ({
  ...cloud,
  services: [...cloud.services, service],
});
