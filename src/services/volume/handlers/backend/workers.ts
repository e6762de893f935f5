// The handler of workers. No service here dies in the middle of its work, so none has anything to
// clean up. Upstream: cinder/api/v3/workers.py.
import { accepted } from '../../../../kernel/http/reply.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { invalidInput } from '../../domain/errors.ts';
import { isHost, servicesOf, serviceStates } from '../../domain/backend/services.ts';
import { authorize } from '../../policy.ts';

interface CleanupBody {
  readonly cluster_name?: string | null;
  readonly host?: string | null;
  readonly binary?: string;
  readonly service_id?: string | number | null;
  readonly disabled?: boolean | string | null;
  readonly is_up?: boolean | string | null;
  readonly resource_type?: string | null;
  readonly resource_id?: string | null;
}

/** POST /v3/workers/cleanup. By default it addresses services that are down, and here none are. */
export async function cleanUp(call: VolumeCall): Promise<Reply> {
  authorize(call, 'workers:cleanup');
  const body = call.body as CleanupBody;
  checkResource(body);
  const stateOf = await serviceStates(call);
  const addressed = servicesOf(call)
    .map((service, index) => ({ ...service, id: index + 1 }))
    .filter(
      (service) =>
        isTrue(body.is_up ?? false) &&
        !body.cluster_name &&
        (!body.host || isHost(service.host, body.host)) &&
        (!body.binary || service.binary === body.binary) &&
        (!body.service_id || service.id === Number(body.service_id)) &&
        (body.disabled == null || stateOf(service).disabled === isTrue(body.disabled)),
    );
  const cleaning = addressed.map(({ id, host, binary }) => ({
    id,
    host,
    binary,
    cluster_name: null,
  }));
  return accepted({ cleaning, unavailable: [] });
}

/** @throws 400 for a resource of an unknown type, or one that has no work to clean up */
function checkResource(body: CleanupBody): void {
  const { resource_type: type, resource_id: id } = body;
  const title = type && type.charAt(0).toUpperCase() + type.slice(1).toLowerCase();
  if (title && title !== 'Volume' && title !== 'Snapshot')
    throw invalidInput(`Resource type ${title} not valid, must be Volume or Snapshot`);
  const isLocated = ['service_id', 'cluster_name', 'host'].some((name) => name in body);
  if (id && !isLocated) throw invalidInput(`There is no resource with UUID ${id} pending cleanup.`);
}
