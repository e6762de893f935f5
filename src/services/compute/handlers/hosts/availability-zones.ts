// Availability zones, with and without their hosts.
import { ok } from '../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../call.ts';
import { internalZone, zonesOf, type Zone } from '../../domain/hosts/zones.ts';
import { zonesByHost } from '../../store/hosts/aggregates.ts';
import { listServices } from '../../store/hosts/services.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { naiveIso } from '../../../../kernel/clock.ts';
import { lastReport } from '../../domain/hosts/reports.ts';

const zonesIn = async ({ db }: ComputeCall): Promise<Zone[]> =>
  zonesOf(await listServices(db), await zonesByHost(db));

export async function list(call: ComputeCall): Promise<Reply> {
  const zones = (await zonesIn(call)).filter(({ name }) => name !== internalZone);
  return ok({ availabilityZoneInfo: zones.map((zone) => ({ ...view(zone), hosts: null })) });
}

export async function detail(call: ComputeCall): Promise<Reply> {
  const zones = await zonesIn(call);
  return ok({
    availabilityZoneInfo: zones.map((zone) => ({
      ...view(zone),
      hosts: zone.available ? hostsOf(call, zone) : null,
    })),
  });
}

const view = ({ name, available }: Zone): object => ({ zoneName: name, zoneState: { available } });

function hostsOf({ now }: ComputeCall, { services }: Zone): object {
  const hosts: Record<string, Record<string, object>> = {};
  for (const { host, binary, disabled, forcedDown, createdAt } of services) {
    (hosts[host] ??= {})[binary] = {
      available: !forcedDown,
      active: !disabled,
      updated_at: naiveIso(lastReport(createdAt, now)),
    };
  }
  return hosts;
}
