// The settings of Tricircle, for the emulator's own API.
import { emulatedNow } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { systemContext } from '../../../kernel/context.ts';
import { settingsOf } from '../domain/settings.ts';
import { applySettings } from '../domain/usages.ts';
import { settingsFrom, settingsView, type SettingsBody } from '../views/settings.ts';

/** GET /_emulator/tricircle/settings */
export const show = async ({ cloud }: Call): Promise<Reply> =>
  ok(settingsView(await settingsOf(cloud.central)));

/** PUT /_emulator/tricircle/settings: what is not given stays. */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const settings = await transact(cloud.central.db, (db, attempt) =>
    applySettings(
      systemContext(cloud, cloud.firstRegion, db, now, attempt),
      settingsFrom(body as SettingsBody),
    ),
  );
  cloud.sharedState.invalidate();
  cloud.centralJobs.wake();
  return ok(settingsView(settings));
}
