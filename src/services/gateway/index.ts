// The gateways of the central region: Nova and Cinder for tenants who need not know in which pod their servers and volumes are.
import { reply } from '../../kernel/http/reply.ts';
import type { Card, Step } from '../../kernel/model.ts';
import type { GatewayCall } from './call.ts';
import { compute } from './neighbours/compute.ts';
import { volume } from './neighbours/volume.ts';
import { computeLines, volumeLines } from './routes.ts';
import { tableOf, type Line } from './table.ts';

/** Remembers the path as it came, before the other service's steps take the project out of it. */
const rememberPath: Step = (call) => {
  (call as GatewayCall).asked = call.path;
};

/**
 * A gateway speaks as the service does for which it stands: versions, order of refusals, contract, policy and words are that service's. What
 * the central region holds for all pods, such as flavors, is in that service's own tables there.
 */
function gatewayTo(card: Card, lines: readonly Line[]): Card {
  const { type, prefix, versions, policy, before, checks, bodyLimit, catalogPath } = card;
  return {
    name: `${card.name}-gateway`,
    ...(type === undefined ? {} : { type }),
    description: card.description,
    prefix,
    home: 'region',
    regions: 'central',
    api: card.name,
    versions,
    routes: tableOf(card, lines),
    policy,
    before: [rememberPath, ...before],
    checks,
    askedVersion: (call) => card.askedVersion?.(call),
    headers: (call) => card.headers?.(call) ?? {},
    bodyLimit,
    ...(catalogPath === undefined ? {} : { catalogPath }),
    // What no Nova or Cinder says: upstream has these words in the envelope that both use for it.
    tell: (fault, call) =>
      fault.status >= 500 && /^(tricircle|gateway)\./.test(fault.details.code ?? '')
        ? reply(fault.status, {
            [fault.status === 503 ? 'serviceUnavailable' : 'computeFault']: { code: fault.status, message: fault.message },
          })
        : card.tell(fault, call),
  };
}

export const computeGateway: Card = gatewayTo(compute, computeLines);
export const volumeGateway: Card = gatewayTo(volume, volumeLines);
