// The settings of Reservation in a region, in the emulator's own API.
import { acquireLock, transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { emulatedNow } from '../../../kernel/clock.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { systemContext } from '../../../kernel/context.ts';
import { reservationLock } from '../domain/lock.ts';
import { applySettings } from '../domain/healing.ts';
import { loadSettings } from '../domain/settings.ts';
import { readSettingsBody, settingsView, type SettingsBody } from '../views/settings.ts';

/** GET /_emulator/reservation/settings */
export async function show(call: Call): Promise<Reply> {
  const region = regionNamed(call.cloud, call.query.last('region'));
  return ok(settingsView(await loadSettings({ db: region.database.db })));
}

/** PUT /_emulator/reservation/settings: changes the given settings, and keeps the others. */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const { region: name, ...fields } = body as SettingsBody & { region?: string };
  const region = regionNamed(cloud, name);
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const settings = await transact(region.database.db, async (db, attempt) => {
    await acquireLock(db, reservationLock);
    return applySettings(systemContext(cloud, region, db, now, attempt), readSettingsBody(fields));
  });
  return ok(settingsView(settings));
}
