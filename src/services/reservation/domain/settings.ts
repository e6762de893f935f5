// What an operator sets of Reservation, while it runs: upstream has it in blazar.conf.
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import { readSettings, writeSetting } from '../store/settings.ts';

export interface Settings {
  /**
   * Leaves out the aggregate and the server group of instance reservations, as the specification of
   * reservations in Placement has it.
   */
  readonly strict: boolean;
  /** When the event before the end is, unless the lease says so; 0 for none. */
  readonly minutesBeforeEndLease: number;
  /** How long a host stays free between two host reservations, in minutes. */
  readonly cleaningTime: number;
  /** What `before_end` of host reservations does by default. */
  readonly beforeEnd: '' | 'snapshot';
  /** The longest lease, in seconds; -1 for any. */
  readonly maxLeaseDuration: number;
  readonly maxLeaseDurationExemptProjectIds: readonly string[];
  /** The service that is asked whether a lease may be. */
  readonly externalService: ExternalService | null;
  /** How often hosts are looked at, in seconds of the emulator's clock; 0 for never. */
  readonly monitorInterval: number;
  /**
   * Leases that begin within so many minutes get other hosts for those that fail; 0 for all leases.
   */
  readonly healingInterval: number;
}

/**
 * Where the external service is asked. Upstream:
 * blazar/enforcement/filters/external_service_filter.py.
 */
export interface ExternalService {
  readonly baseUrl: string;
  readonly checkCreateUrl?: string;
  readonly checkUpdateUrl?: string;
  readonly onEndUrl?: string;
  readonly token?: string;
}

export const defaults: Settings = {
  strict: false,
  minutesBeforeEndLease: 60,
  cleaningTime: 0,
  beforeEnd: '',
  maxLeaseDuration: -1,
  maxLeaseDurationExemptProjectIds: [],
  externalService: null,
  monitorInterval: 0,
  healingInterval: 60,
};

const name = 'settings';

export async function settingsOf({ db }: { readonly db: Db }): Promise<Settings> {
  return { ...defaults, ...((await readSettings(db))[name] as Partial<Settings> | undefined) };
}

/** Changes settings; those that are not given stay. */
export async function changeSettings(
  context: Context,
  changes: Partial<Settings>,
): Promise<Settings> {
  const settings = { ...(await settingsOf(context)), ...changes };
  await writeSetting(context.db, name, settings);
  return settings;
}
