// Handlers of /_emulator/openapi: the descriptions of the services' APIs, which requests are checked
// against.
import { project } from '../../kernel/contract/projection.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import { ok } from '../../kernel/http/reply.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Call, Reply, Service } from '../../kernel/model.ts';

/**
 * GET /_emulator/openapi/{service}: a document of OpenAPI 3.1. With a microversion, it describes
 * that one only, and has no references. Without one, it describes all, and marks in `x-openstack`
 * what does not exist at each; api-ref/README.md explains the marks.
 * @throws 400, 404
 */
export function show({ cloud, params, query, origin }: Call): Reply {
  const service = cloud.services.find(({ definition }) => definition.name === params['service']);
  if (!service) {
    const names = cloud.services.map(({ definition }) => definition.name);
    throw notFound(
      `There is no service '${params['service']}'. Services: ${names.toSorted().join(', ')}.`,
    );
  }
  const servers = [{ url: origin + service.definition.prefix }];
  const version = query.last('microversion');
  const document = service.contract.load();
  return ok({ ...(version === undefined ? document : atVersion(service, version)), servers });
}

/** The description of one microversion. @throws 400 for an unknown one */
function atVersion({ definition, contract }: Service, version: string): JsonObject {
  const { min, max } = definition.versions;
  if (!definition.versions.find(version))
    throw badRequest(
      `${definition.name} has no microversion '${version}'. It has ${min.name} to ${max.name}.`,
    );
  const document = contract.load();
  const { components, info, ...rest } = document as Record<string, JsonObject>;
  const projected = project(document, rest, version) as Record<string, JsonObject>;
  const paths = Object.entries(projected['paths'] ?? {}).filter(([, item]) => hasOperation(item));
  return {
    ...projected,
    info: { ...info, version },
    paths: Object.fromEntries(paths),
    components: { securitySchemes: components?.['securitySchemes'] ?? {} },
  } as JsonObject;
}

const hasOperation = (item: unknown): boolean =>
  isObject(item as JsonObject) &&
  ['get', 'post', 'put', 'patch', 'delete', 'head'].some((method) =>
    Object.hasOwn(item as JsonObject, method),
  );
