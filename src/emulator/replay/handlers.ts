// Handler of POST /_emulator/replay.
import { badRequest } from '../../kernel/errors.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { makeChanges } from '../what-if/changes.ts';
import { clientFor, withCopy } from '../what-if/copy.ts';
import type { Made } from '../what-if/model.ts';
import type { RegionClient } from '../worlds/client.ts';
import type { Configuration, ReplayRequest } from './model.ts';
import { play } from './play.ts';
import { replayView } from './report.ts';

/**
 * POST /_emulator/replay: plays arrivals of servers and leases in a copy of the cloud, under a
 * configuration. @throws 400
 */
export async function create({ cloud, body }: Call): Promise<Reply> {
  const { region, configuration = {}, arrivals } = body as ReplayRequest;
  const { name } = regionNamed(cloud, region);
  for (const [index, { server, lease }] of arrivals.entries())
    if ((server === undefined) === (lease === undefined))
      throw badRequest(`Arrival ${index + 1}: give either server or lease.`);
  const replay = await withCopy(cloud, async (copy) => {
    const client = clientFor(copy, name);
    const changes = await configure(client, configuration);
    const played = await play(client, arrivals);
    return { ...played, region: name, configuration: configuration.name ?? 'unchanged', changes };
  });
  return ok({ replay: replayView(replay) });
}

/** Changes settings and makes changes. @throws 400, 404 for settings that do not exist */
async function configure(
  region: RegionClient,
  { settings = {}, changes = [] }: Configuration,
): Promise<Made[]> {
  const { cloud } = region.client;
  for (const [service, values] of Object.entries(settings)) {
    const found = cloud.services.find(({ definition }) => definition.name === service);
    const shared = found?.definition.database === 'central';
    const body = { ...values, ...(shared ? {} : { region: region.name }) };
    const path = `/_emulator/${encodeURIComponent(service)}/settings`;
    await region.client.ask('PUT', path, { body });
  }
  return makeChanges(region, changes);
}
