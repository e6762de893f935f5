// The settings of Reservation in a region, for the emulator's own API.
import { acquireLock, transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { emulatedNow } from '../../../kernel/clock.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { systemContext } from '../../../kernel/context.ts';
import { reservationLock } from '../domain/lock.ts';
import { applySettings } from '../domain/healing.ts';
import { settingsOf } from '../domain/settings.ts';
import { settingsFrom, settingsView, type SettingsBody } from '../views/settings.ts';

/** GET /_emulator/reservation/settings */
export async function show(call: Call): Promise<Reply> {
  const region = regionNamed(call.cloud, call.query.last('region'));
  return ok(settingsView(await settingsOf({ db: region.database.db })));
}

/** PUT /_emulator/reservation/settings: what is not given stays. */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const { region: name, ...fields } = body as SettingsBody & { region?: string };
  const region = regionNamed(cloud, name);
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const settings = await transact(region.database.db, async (db, attempt) => {
    await acquireLock(db, reservationLock);
    return applySettings(systemContext(cloud, region, db, now, attempt), settingsFrom(fields));
  });
  return ok(settingsView(settings));
}
