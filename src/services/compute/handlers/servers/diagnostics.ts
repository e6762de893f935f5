// GET /servers/{server_id}/diagnostics.
import { ok } from '../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../call.ts';
import { requireState, wrongState } from '../../domain/servers/checks.ts';
import { attachedPorts } from '../../domain/servers/networks.ts';
import { power, powerName } from '../../domain/servers/states.ts';
import { listServerVolumes } from '../../store/servers/devices.ts';
import {
  devicesOf,
  diagnosticsView,
  libvirtDiagnosticsView,
} from '../../views/servers/diagnostics.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-server-diagnostics');
  requireState(call, server, {
    action: 'get_diagnostics',
    onHost: 'first',
    launched: false,
    evenLocked: true,
  });
  if (server.powerState !== power.running)
    throw wrongState(server, 'get_diagnostics', 'power state', powerName(server.powerState));
  const volumes = await listServerVolumes(call.db, [server.uuid]);
  const devices = devicesOf(server, volumes, await attachedPorts(call, [server.uuid]));
  return ok(
    call.version.has('2.48')
      ? diagnosticsView(server, devices, call.now)
      : libvirtDiagnosticsView(server, devices, call.now),
  );
}
