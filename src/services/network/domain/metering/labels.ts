// Labels by which traffic is metered, and the rules that say which traffic. Nothing is measured.
// Upstream: neutron/services/metering/metering_plugin.py.
import type { Context } from '../../../../kernel/model.ts';
import { formatCidr, overlap, parseCidr } from '../../ip.ts';
import type { MeteringLabel, MeteringLabelRule } from '../../model.ts';
import { meteringLabelTable, meteringRuleTable } from '../../store/tables.ts';
import { quoted } from '../attributes/checks.ts';
import type { Fields } from '../attributes/definitions.ts';
import { bad, inConflict } from '../refusals.ts';
import { newStandard } from '../standard.ts';
import { getMeteringLabel } from '../visibility.ts';

export async function createLabel({ db, now }: Context, fields: Fields): Promise<MeteringLabel> {
  const label: MeteringLabel = {
    ...newStandard(fields, now),
    name: fields['name'] as string,
    shared: fields['shared'] as boolean,
  };
  await meteringLabelTable.create(db, label);
  return label;
}

/** Deletes a label with its rules. */
export async function deleteLabel({ db }: Context, label: MeteringLabel): Promise<void> {
  const rules = await meteringRuleTable.list(db, { where: { metering_label_id: label.id } });
  for (const rule of rules) await meteringRuleTable.delete(db, rule);
  await meteringLabelTable.delete(db, label);
}

/**
 * Creates a rule. It belongs to no project, so that only administrators see it, as upstream.
 * @throws 400, 404, 409 if its remote prefix overlaps with that of another rule
 */
export async function createLabelRule(
  context: Context,
  fields: Fields,
): Promise<MeteringLabelRule> {
  const { db, now } = context;
  const rule: MeteringLabelRule = {
    ...newStandard({ project_id: '' }, now),
    metering_label_id: fields['metering_label_id'] as string,
    direction: fields['direction'] as string,
    excluded: fields['excluded'] as boolean,
    remote_ip_prefix: prefixOf(fields, 'remote_ip_prefix'),
    source_ip_prefix: prefixOf(fields, 'source_ip_prefix'),
    destination_ip_prefix: prefixOf(fields, 'destination_ip_prefix'),
  };
  checkCombination(rule);
  await checkNoOverlap(context, rule, fields['remote_ip_prefix']);
  const label = await getMeteringLabel(context, rule.metering_label_id);
  // Conflict with transactions that might create an overlapping rule.
  await meteringLabelTable.touch(db, label, now);
  await meteringRuleTable.create(db, rule);
  return rule;
}

// Upstream's exception has no status, so upstream returns 500 for it.
const invalid = (message: string) => bad('Invalid', message);

/** Reads a prefix, which may be a single address. @throws 400 */
function prefixOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === null || value === '') return null;
  const cidr = parseCidr(value, true);
  if (cidr) return formatCidr(cidr);
  throw invalid(
    `${name}: ${quoted(value)} is invalid ` +
      `['${quoted(value)}' does not appear to be an IPv4 or IPv6 interface].`,
  );
}

/** @throws 400 for a rule without a prefix, or with a remote one and another one */
function checkCombination({
  remote_ip_prefix: remote,
  source_ip_prefix: source,
  destination_ip_prefix: destination,
}: MeteringLabelRule): void {
  if (remote !== null && (source !== null || destination !== null)) {
    throw invalid(
      "Cannot use 'remote-ip-prefix' in conjunction with 'source-ip-prefix' or " +
        "'destination-ip-prefix'.",
    );
  }
  if (remote === null && source === null && destination === null) {
    throw invalid(
      "You must define at least one of the following parameters 'remote_ip_prefix', or " +
        "'source_ip_prefix' or 'destination_ip_prefix'.",
    );
  }
}

/** @throws 409 if a rule of the same label and direction has a prefix that overlaps */
async function checkNoOverlap(
  { db }: Context,
  { metering_label_id, direction, excluded, remote_ip_prefix: remote }: MeteringLabelRule,
  sent: unknown,
): Promise<void> {
  if (remote === null) return;
  const own = parseCidr(remote)!;
  const where = { metering_label_id, direction, excluded };
  for (const { remote_ip_prefix: other } of await meteringRuleTable.list(db, { where })) {
    if (other === null || !overlap(own, parseCidr(other)!)) continue;
    throw inConflict(
      'MeteringLabelRuleOverlaps',
      `Metering label rule with remote_ip_prefix '${quoted(sent)}' overlaps another.`,
    );
  }
}
