// The settings of Tricircle, in the emulator's own API.
import { emulatedNow } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { systemContext } from '../../../kernel/context.ts';
import { loadSettings } from '../domain/settings.ts';
import { applySettings } from '../domain/usages.ts';
import { readSettingsBody, settingsView, type SettingsBody } from '../views/settings.ts';

/** GET /_emulator/tricircle/settings */
export const show = async ({ cloud }: Call): Promise<Reply> =>
  ok(settingsView(await loadSettings(cloud.central)));

/** PUT /_emulator/tricircle/settings: changes the given settings, and keeps the others. */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const settings = await transact(cloud.central.db, (db, attempt) =>
    applySettings(
      systemContext(cloud, cloud.firstRegion, db, now, attempt),
      readSettingsBody(body as SettingsBody),
    ),
  );
  cloud.sharedState.invalidate();
  cloud.centralJobs.wake();
  return ok(settingsView(settings));
}
