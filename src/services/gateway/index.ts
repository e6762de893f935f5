// The definitions of the Compute and Block storage gateways, through which tenants of the central
// region use servers and volumes without knowing their pods.
import { reply } from '../../kernel/http/reply.ts';
import type { ServiceDefinition, Step } from '../../kernel/model.ts';
import type { GatewayCall } from './call.ts';
import { compute } from './clients/compute.ts';
import { volume } from './clients/volume.ts';
import { followImage, followImageKind } from './domain/images/copies.ts';
import { carryImages, carryImagesKind } from './domain/images/made.ts';
import { settleKind, settlePorts } from './domain/server-ports.ts';
import { buildRoutes, type RouteEntry } from './route-table.ts';
import { computeRoutes, volumeRoutes } from './routes.ts';

/** Remembers the request's path before the other service's steps remove the project from it. */
const rememberPath: Step = (call) => {
  (call as GatewayCall).requestPath = call.path;
};

/**
 * Defines a gateway in front of a service. Versions, order of refusals, contract, policy and error
 * texts are the service's own. Resources that all pods share, such as flavors, are stored in the
 * service's tables in the central region.
 */
function defineGateway(
  definition: ServiceDefinition,
  entries: readonly RouteEntry[],
): ServiceDefinition {
  const {
    type,
    prefix,
    nativePort,
    versions,
    policy,
    beforeRouting: before,
    beforeHandler: checks,
    bodyLimit,
    catalogPath,
  } = definition;
  return {
    name: `${definition.name}-gateway`,
    ...(type === undefined ? {} : { type }),
    description: definition.description,
    prefix,
    ...(nativePort === undefined ? {} : { nativePort }),
    database: 'region',
    regions: 'central',
    api: definition.name,
    versions,
    routes: buildRoutes(definition, entries),
    policy,
    beforeRouting: [rememberPath, ...before],
    beforeHandler: checks,
    requestedVersion: (call) => definition.requestedVersion?.(call),
    headers: (call) => definition.headers?.(call) ?? {},
    bodyLimit,
    ...(catalogPath === undefined ? {} : { catalogPath }),
    // Nova and Cinder have no texts for these errors. Upstream's gateways render Tricircle's texts
    // in this envelope for both services.
    renderError: (error, call) =>
      error.status >= 500 && /^(tricircle|gateway)\./.test(error.code ?? '')
        ? reply(error.status, {
            [error.status === 503 ? 'serviceUnavailable' : 'computeFault']: {
              code: error.status,
              message: error.message,
            },
          })
        : definition.renderError(error, call),
  };
}

export const computeGateway: ServiceDefinition = {
  ...defineGateway(compute, computeRoutes),
  jobs: {
    [settleKind]: { run: settlePorts },
    [carryImagesKind]: { run: carryImages },
    [followImageKind]: { run: followImage },
  },
};
export const volumeGateway: ServiceDefinition = defineGateway(volume, volumeRoutes);
