// Faults on demand: what a process knows of the rules by which requests fail, and how rules go.
// What they do is in http/failing.ts.
import { deleteFaultRules, unknownFaultRule, listFaultRules, type FaultRule } from './store.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';

/** Reads the rules again where they have changed since. */
export async function syncFaultRules({
  sharedState: shared,
  central,
  faultRules: faults,
}: Cloud): Promise<void> {
  const { faultsRevision } = await shared.read();
  if (faultsRevision === faults.revision) return;
  const rules = await listFaultRules(central.db);
  // Another request may have read later ones meanwhile.
  if (faultsRevision > faults.revision) Object.assign(faults, { revision: faultsRevision, rules });
}

/** What rules are about: all of them, those of a region, of a service, of a service in a region. */
export interface FaultScope {
  readonly region?: string | undefined;
  readonly service?: string | undefined;
}

/**
 * Takes the rules away that are about nothing beyond the scope. No process goes by them any more:
 * who counts in them finds them gone.
 */
export async function removeFaultRules(
  cloud: Cloud,
  { region, service }: FaultScope = {},
): Promise<void> {
  const goes = ({ match }: FaultRule): boolean =>
    (region === undefined || match.region === region) &&
    (service === undefined || match.service === service);
  await transact(cloud.central.db, (db) => deleteFaultRules(db, goes));
  cloud.sharedState.invalidate();
}

/** Takes a rule away. @throws 404 */
export async function removeFaultRule(cloud: Cloud, id: number): Promise<void> {
  const gone = await transact(cloud.central.db, (db) =>
    deleteFaultRules(db, (rule) => rule.id === id),
  );
  cloud.sharedState.invalidate();
  if (!gone) throw unknownFaultRule(id);
}
