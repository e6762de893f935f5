// Creates servers in pods, and brings to a pod what a server there needs from the central region.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import { readFlavor, readKeypair, type CentralFlavor } from '../clients/centre.ts';
import { readCounts } from '../clients/compute.ts';
import { carryOut } from '../clients/execute.ts';
import { successBody, type ServiceReply } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import type { Demand, Pod } from '../clients/tricircle.ts';
import { withinBootVolumeQuota } from './boot-volumes.ts';
import { withinServerQuota, type Growth, type ServerSize } from './compute-quotas.ts';
import { imageSteps } from './images/for-requests.ts';
import { createInPodWithPorts } from './new-servers.ts';
import { flavorStep, type ServerNeeds } from './plan.ts';
import { choosePodFor } from './pod-choice.ts';
import { imagesOfServer, referencesOfServer } from './references.ts';
import { findPodOf } from '../clients/routed-resources.ts';

/**
 * Creates servers in the pod that suits the request, after bringing the pod what they need.
 * @throws 400, 403, 409, 500, 503, 504
 */
export async function createServers(
  call: GatewayCall,
  body: Json,
): Promise<{ pod: Pod; reply: ServiceReply }> {
  const server = body['server'] as Json;
  const counts = readCounts(server);
  const needs = await readNeeds(call, server);
  const pod = await choosePodFor(call, {
    name: server['name'],
    zone: server['availability_zone'],
    specs: needs.flavor.extraSpecs,
    references: referencesOfServer(body),
    demand: demandOf(needs.flavor),
  });
  const demand = { flavor: sizeOf(needs.flavor), ...counts };
  return withinServerQuota(call, demand, async (count) => {
    const reduced =
      count < demand.most ? { ...body, server: { ...server, max_count: count } } : body;
    return withinBootVolumeQuota(call, pod, { server, count }, async () => {
      const reply = await createInPodWithPorts(call, pod, { body: reduced, count, needs });
      return { pod, reply };
    });
  });
}

const sizeOf = ({ fields }: CentralFlavor): ServerSize => ({
  vcpus: Number(fields['vcpus']),
  ram: Number(fields['ram']),
});

/** How much a server would grow by a resize; undefined for an unknown server or flavor. */
export async function readGrowth(
  call: GatewayCall,
  serverId: string,
  flavorId: string,
): Promise<Growth | undefined> {
  const to = await readFlavor(call, flavorId, { asAdmin: true });
  const pod = await findPodOf(call, 'server', serverId);
  if (!to || !pod) return undefined;
  // From this microversion on, Nova shows the size of the flavor instead of its id.
  const path = `/servers/${encodeURIComponent(serverId)}`;
  const request = { method: 'GET', path, version: 'compute 2.47' };
  const server = successBody(await requestFromPod(call, pod, request))?.['server'] as
    { tenant_id: string; user_id: string; flavor: ServerSize } | undefined;
  if (!server) return undefined;
  const owner = { projectId: server.tenant_id, userId: server.user_id };
  return { owner, from: server.flavor, to: sizeOf(to) };
}

/** How much a server with a flavor needs of each resource. */
const demandOf = ({ fields }: CentralFlavor): Demand => ({
  vcpus: Number(fields['vcpus']),
  memory_mb: Number(fields['ram']),
  disk_gb: Number(fields['disk']) + Number(fields['OS-FLV-EXT-DATA:ephemeral']),
});

/** Reads what a new server needs from the central region. @throws 400 for an unknown flavor */
async function readNeeds(call: GatewayCall, server: Json): Promise<ServerNeeds> {
  const flavorId = String(server['flavorRef']);
  const flavor = await readFlavor(call, flavorId, { asAdmin: false });
  if (!flavor) throw badRequest(`Flavor ${flavorId} could not be found.`);
  const keyName = server['key_name'];
  return {
    flavor,
    keypair: typeof keyName === 'string' ? await readKeypair(call, keyName) : undefined,
    images: await imageSteps(call, imagesOfServer(server), (id, status) =>
      badRequest(
        status !== undefined
          ? `Image ${id} is not active.`
          : id === server['imageRef']
            ? 'Can not find requested image'
            : `Block Device Mapping is Invalid: failed to get image ${id}.`,
      ),
    ),
  };
}

/** Brings a pod the flavor or image that an action of a server refers to. */
export async function prepareAction(
  call: GatewayCall,
  pod: Pod,
  action: string,
  { flavorRef, imageRef, rescue_image_ref: rescueImageRef }: Json,
): Promise<void> {
  if (action === 'resize' && flavorRef !== undefined) {
    const flavor = await readFlavor(call, String(flavorRef), { asAdmin: true });
    if (flavor) await carryOut(call, pod, [flavorStep(flavor)]);
  }
  const imageId = { rebuild: imageRef, rescue: rescueImageRef }[action];
  if (typeof imageId !== 'string') return;
  const refusalOf = (id: string, status?: string): ApiError => {
    if (action === 'rescue') return badRequest(`Requested rescue image '${id}' is not supported`);
    return badRequest(
      status === undefined ? 'Cannot find image for rebuild' : `Image ${id} is not active.`,
    );
  };
  await carryOut(call, pod, await imageSteps(call, [imageId], refusalOf));
}
