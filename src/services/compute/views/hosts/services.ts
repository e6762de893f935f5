// The view of a service.
import { naiveIso } from '../../../../kernel/clock.ts';
import type { ComputeCall } from '../../call.ts';
import { lastReport } from '../../domain/hosts/reports.ts';
import { zoneOf } from '../../domain/hosts/zones.ts';
import type { ComputeService } from '../../model.ts';

export function serviceView(
  { version, now }: Pick<ComputeCall, 'version' | 'now'>,
  service: ComputeService,
  zones: ReadonlyMap<string, string>,
): object {
  return {
    binary: service.binary,
    host: service.host,
    id: version.has('2.53') ? service.uuid : service.id,
    zone: zoneOf(service, zones),
    status: service.disabled ? 'disabled' : 'enabled',
    state: service.forcedDown ? 'down' : 'up',
    updated_at: naiveIso(lastReport(service.createdAt, now)),
    disabled_reason: service.disabledReason,
    ...version.since('2.11', { forced_down: service.forcedDown }),
  };
}
