// A small service for tests of the kernel: a card, and a contract that is written in the test and
// not in api-ref.
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

/** A contract from a document at hand. */
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

/** Routes that allow any body and answer with anything. */
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

/** The service; its region's database is its home, and its dialect is `{ toy: message }`. */
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

/** The same cloud with one more service. */
export const withToy = (cloud: Cloud, service: Service): Cloud => ({
  ...cloud,
  services: [...cloud.services, service],
});
