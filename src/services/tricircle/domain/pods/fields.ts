// Reads the fields of a pod: upstream's, and the additional ones of dynamic binding.
import { parseTime, type Micros } from '../../../../kernel/clock.ts';
import { isLonger, type Fields } from '../fields.ts';
import {
  dimensions,
  type Headroom,
  type Pod,
  type PodFields,
  type Prices,
  type Tag,
} from '../../model.ts';
import { bare } from '../errors.ts';

const invalid = (field: string) => bare(422, `Valid ${field} is required for pod`);

const columnLength = 255;

/** Reads a text, and trims it; undefined if it is absent. @throws 422 */
export function readText(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || isLonger(value.trim(), columnLength)) throw invalid(name);
  return value.trim();
}

/** Reads the region's name, from its newer or older key. @throws 422 if both exist and differ */
export function readRegionName(fields: Fields): string | undefined {
  const name = readText(fields, 'region_name');
  const older = readText(fields, 'pod_name');
  if (name !== undefined && older !== undefined && name !== older) throw invalid('region_name');
  return name ?? older;
}

/** Reads the creation time, if the body has it. @throws 422 */
export function readCreateTime(fields: Fields): Micros | undefined {
  const text = readText(fields, 'create_time');
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === undefined || time < 0) throw invalid('create_time');
  return time;
}

type MutableFields = Omit<PodFields, 'regionName' | 'azName'>;

/** Reads the mutable fields that the body has. @throws 422 */
export function readMutableFields(fields: Fields): Partial<MutableFields> {
  const podAzName = readText(fields, 'pod_az_name');
  const dcName = readText(fields, 'dc_name');
  return {
    ...(podAzName === undefined ? {} : { podAzName }),
    ...(dcName === undefined ? {} : { dcName }),
    ...readIfGiven(fields, 'resource_affinity_tag', (value) => ({
      resourceAffinityTag: readTag(value),
    })),
    ...readIfGiven(fields, 'is_under_maintenance', (value) => ({
      isUnderMaintenance: readBoolean(value),
    })),
    ...readIfGiven(fields, 'weight', (value) => ({
      weight: readInteger('weight', value, -(2 ** 31), 2 ** 31 - 1),
    })),
    ...readIfGiven(fields, 'threshold_percent', (value) => ({
      thresholdPercent: readInteger('threshold_percent', value, 1, 99),
    })),
    ...readIfGiven(fields, 'headroom', (value) => ({
      headroom: readAmounts('headroom', value, Number.MAX_VALUE),
    })),
    ...readIfGiven(fields, 'prices', (value) => ({
      prices: readAmounts('prices', value, maxPrice),
    })),
  };
}

/** Reads a field if the body has it. */
const readIfGiven = <T extends object>(
  fields: Fields,
  name: string,
  read: (value: unknown) => T,
): T | Record<never, never> =>
  Object.hasOwn(fields, name) && fields[name] !== undefined ? read(fields[name]) : {};

function readBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalid('is_under_maintenance');
  return value;
}

function readInteger(name: string, value: unknown, min: number, max: number): number | null {
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw invalid(name);
  return value;
}

const maxKeys = 32;

/** Reads the keys and values of a tag; null is the general group. */
function readTag(value: unknown): Tag {
  if (value === null) return {};
  const tag = readEntries('resource_affinity_tag', value);
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text !== '' && !isLonger(text, columnLength);
  if (tag.length > maxKeys || !tag.every(([key, text]) => isText(key) && isText(text)))
    throw invalid('resource_affinity_tag');
  return Object.fromEntries(tag) as Tag;
}

const maxPrice = 1_000_000_000;

/** Reads an amount of each dimension that the object has. */
function readAmounts(name: string, value: unknown, max: number): Headroom | Prices | null {
  if (value === null) return null;
  const entries = readEntries(name, value);
  const isValid = ([key, amount]: [string, unknown]): boolean =>
    (dimensions as readonly string[]).includes(key) &&
    typeof amount === 'number' &&
    amount >= 0 &&
    amount <= max;
  if (!entries.every(isValid)) throw invalid(name);
  return Object.fromEntries(entries) as Headroom | Prices;
}

function readEntries(name: string, value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name);
  return Object.entries(value);
}

/** @throws 422 if the body would change the region or zone of a pod */
export function requireSameRegion(fields: Fields, pod: Pod): void {
  const regionName = readRegionName(fields);
  if (regionName !== undefined && regionName !== pod.regionName)
    throw bare(422, 'The region_name of a pod can not be changed');
  const azName = readText(fields, 'az_name');
  if (azName !== undefined && azName !== pod.azName)
    throw bare(422, 'The az_name of a pod can not be changed');
}
