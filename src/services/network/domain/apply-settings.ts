// What follows at once from a change of Network's settings.
import type { Context } from '../../../kernel/model.ts';
import { applyProviderSettings } from './agents/providers.ts';
import { reportRoutedSegments } from './segments/hosts.ts';

/** Applies the settings with these names, which have changed. */
export async function applySettings(context: Context, changed: ReadonlySet<string>): Promise<void> {
  if (changed.has('physicalNetworks')) await reportRoutedSegments(context);
  await applyProviderSettings(context, changed);
}
