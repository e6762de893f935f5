// The fields of a pod in a body: upstream's, and what dynamic binding needs beyond them.
import { parseTime, type Micros } from '../../../../kernel/clock.ts';
import { isLonger, type Fields } from '../fields.ts';
import { dimensions, type Headroom, type Pod, type PodFields, type Tag } from '../../model.ts';
import { bare } from '../refusals.ts';

const invalid = (field: string) => bare(422, `Valid ${field} is required for pod`);

const columnLength = 255;

/** A text, trimmed; undefined where the body has none. @throws 422 */
export function textField(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || isLonger(value.trim(), columnLength)) throw invalid(name);
  return value.trim();
}

/**
 * The region's name under its newer or its older key.
 * @throws 422 where both are there and differ
 */
export function regionNameOf(fields: Fields): string | undefined {
  const name = textField(fields, 'region_name');
  const older = textField(fields, 'pod_name');
  if (name !== undefined && older !== undefined && name !== older) throw invalid('region_name');
  return name ?? older;
}

/** When the pod was created, where the client says so. @throws 422 */
export function createTimeOf(fields: Fields): Micros | undefined {
  const text = textField(fields, 'create_time');
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === undefined || time < 0) throw invalid('create_time');
  return time;
}

type Changeable = Omit<PodFields, 'regionName' | 'azName'>;

/** What of a pod may be changed, as far as the body has it. @throws 422 */
export function changesIn(fields: Fields): Partial<Changeable> {
  const podAzName = textField(fields, 'pod_az_name');
  const dcName = textField(fields, 'dc_name');
  return {
    ...(podAzName === undefined ? {} : { podAzName }),
    ...(dcName === undefined ? {} : { dcName }),
    ...given(fields, 'resource_affinity_tag', (value) => ({ resourceAffinityTag: tagOf(value) })),
    ...given(fields, 'is_under_maintenance', (value) => ({ isUnderMaintenance: booleanOf(value) })),
    ...given(fields, 'weight', (value) => ({
      weight: wholeOf('weight', value, -(2 ** 31), 2 ** 31 - 1),
    })),
    ...given(fields, 'threshold_percent', (value) => ({
      thresholdPercent: wholeOf('threshold_percent', value, 1, 99),
    })),
    ...given(fields, 'headroom', (value) => ({ headroom: headroomOf(value) })),
  };
}

const given = <T extends object>(
  fields: Fields,
  name: string,
  read: (value: unknown) => T,
): T | Record<never, never> =>
  Object.hasOwn(fields, name) && fields[name] !== undefined ? read(fields[name]) : {};

function booleanOf(value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalid('is_under_maintenance');
  return value;
}

function wholeOf(name: string, value: unknown, least: number, most: number): number | null {
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw invalid(name);
  return value;
}

const mostKeys = 32;

/** Keys and values of extra specs; null is the general group. */
function tagOf(value: unknown): Tag {
  if (value === null) return {};
  const tag = entriesOf('resource_affinity_tag', value);
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text !== '' && !isLonger(text, columnLength);
  if (tag.length > mostKeys || !tag.every(([key, text]) => isText(key) && isText(text)))
    throw invalid('resource_affinity_tag');
  return Object.fromEntries(tag) as Tag;
}

function headroomOf(value: unknown): Headroom | null {
  if (value === null) return null;
  const entries = entriesOf('headroom', value);
  const isKnown = ([key, amount]: [string, unknown]): boolean =>
    (dimensions as readonly string[]).includes(key) &&
    typeof amount === 'number' &&
    Number.isFinite(amount) &&
    amount >= 0;
  if (!entries.every(isKnown)) throw invalid('headroom');
  return Object.fromEntries(entries) as Headroom;
}

function entriesOf(name: string, value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name);
  return Object.entries(value);
}

/** @throws 422 where the body would move a pod to another region or zone */
export function refuseMove(fields: Fields, pod: Pod): void {
  const regionName = regionNameOf(fields);
  if (regionName !== undefined && regionName !== pod.regionName)
    throw bare(422, 'The region_name of a pod can not be changed');
  const azName = textField(fields, 'az_name');
  if (azName !== undefined && azName !== pod.azName)
    throw bare(422, 'The az_name of a pod can not be changed');
}
