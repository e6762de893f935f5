// The gateways of the central region: Nova and Cinder for tenants who need not know in which pod
// their servers and volumes are.
import { reply } from '../../kernel/http/reply.ts';
import type { ServiceDefinition, Step } from '../../kernel/model.ts';
import type { GatewayCall } from './call.ts';
import { compute } from './clients/compute.ts';
import { volume } from './clients/volume.ts';
import { computeLines, volumeLines } from './routes.ts';
import { tableOf, type Line } from './table.ts';

/** Remembers the path as it came, before the other service's steps take the project out of it. */
const rememberPath: Step = (call) => {
  (call as GatewayCall).asked = call.path;
};

/**
 * A gateway speaks as the service does for which it stands: versions, order of refusals, contract,
 * policy and words are that service's. What the central region holds for all pods, such as flavors,
 * is in that service's own tables there.
 */
function gatewayTo(definition: ServiceDefinition, lines: readonly Line[]): ServiceDefinition {
  const {
    type,
    prefix,
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
    database: 'region',
    regions: 'central',
    api: definition.name,
    versions,
    routes: tableOf(definition, lines),
    policy,
    beforeRouting: [rememberPath, ...before],
    beforeHandler: checks,
    requestedVersion: (call) => definition.requestedVersion?.(call),
    headers: (call) => definition.headers?.(call) ?? {},
    bodyLimit,
    ...(catalogPath === undefined ? {} : { catalogPath }),
    // What no Nova or Cinder says: upstream has these words in the envelope that both use for it.
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

export const computeGateway: ServiceDefinition = gatewayTo(compute, computeLines);
export const volumeGateway: ServiceDefinition = gatewayTo(volume, volumeLines);
