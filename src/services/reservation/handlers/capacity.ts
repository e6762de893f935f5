// Reservation's part of the emulator's own API: counts how many more leases fit.
import { replyWithCapacity } from '../../../emulator/capacity/handler.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { asService } from '../clients/identity.ts';
import { countLeases } from '../domain/capacity/count.ts';
import { wantedIn } from '../domain/capacity/question.ts';

/** GET /_emulator/capacity/leases: counts how many more leases of hosts or instances fit. @throws 400 */
export function leases(call: Call): Promise<Reply> {
  const { query } = call;
  const number = (name: string): number | undefined => {
    const value = query.last(name);
    return value === undefined ? undefined : Number(value);
  };
  const affinity = query.last('affinity');
  const question = {
    hosts: number('hosts'),
    instances: number('instances'),
    flavor: query.last('flavor'),
    vcpus: number('vcpus'),
    memoryMb: number('memory_mb'),
    diskGb: number('disk_gb'),
    affinity: affinity === undefined ? undefined : affinity === 'true',
    properties: query.last('properties'),
    start: query.last('start'),
    for: query.last('for'),
  };
  return replyWithCapacity(call, async (context) => {
    const service = asService(context);
    return countLeases(service, await wantedIn(service, question));
  });
}
