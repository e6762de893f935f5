// The fields of requests: each coerces its values, and rejects them with upstream's messages.
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { ClusteringVersion } from '../../versions.ts';
import type { Json } from '../../model.ts';
import { invalid, malformed } from '../refusals.ts';

/** Reads a value that is not null. @throws 400 */
export interface Field {
  readonly required?: boolean;
  /** The first version that has the field. Older ones ignore it. */
  readonly since?: ClusteringVersion;
  readonly read: (value: unknown, name: string) => unknown;
}

export const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const plain = (value: unknown): string => (typeof value === 'string' ? value : pythonRepr(value));

const maxNameLength = 255;

/** A name of letters, digits, CJK characters and `._~-`. Upstream: senlin/objects/fields.py. */
export const nameField: Field = {
  read: (value, name) => {
    if (typeof value !== 'string') throw malformed();
    const length = Array.from(value.slice(0, 2 * maxNameLength + 2)).length;
    if (length < 1)
      throw invalid(`The value for the ${name} field must be at least 1 characters long.`);
    if (length > maxNameLength)
      throw invalid(
        `The value for the ${name} field must be less than ${maxNameLength} characters long.`,
      );
    if (!/^[a-zA-Z\u4e00-\u9fa5\d._~-]*$/.test(value))
      throw invalid(
        `The value for the '${name}' (${value}) contains illegal characters. It must contain ` +
          'only alphanumeric or "_-.~" characters and must start with letter.',
      );
    return value;
  },
};

export const textField: Field = {
  read(value) {
    if (typeof value === 'string') return value;
    // Upstream's field coerces a number, but its schema then rejects the type.
    if (typeof value === 'number')
      throw invalid(`${value} is not of type 'string'${this.required ? '' : ", 'null'"}`);
    throw invalid(`A string is required in field, not a ${pythonType(value)}`);
  },
};

const pythonType = (value: unknown): string =>
  value === null
    ? 'NoneType'
    : Array.isArray(value)
      ? 'list'
      : typeof value === 'boolean'
        ? 'bool'
        : 'dict';

/** A map, or a string with the JSON of one. */
export const mapField: Field = {
  read: (value) => {
    const found = typeof value === 'string' ? jsonOf(value) : value;
    if (!isMap(found)) throw invalid(`${pythonRepr(found)} is not of type 'object'`);
    return found;
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(`The value (${text}) is not a valid JSON.`);
  }
}

function integerOf(value: unknown, name: string): number {
  const number =
    typeof value === 'number'
      ? Math.trunc(value)
      : typeof value === 'boolean'
        ? Number(value)
        : integerText(value);
  if (number === undefined || !Number.isFinite(number) || Math.abs(number) > 2 ** 31)
    throw invalid(`The value for ${name} must be an integer: '${plain(value)}'.`);
  return number;
}

const integerText = (value: unknown): number | undefined =>
  typeof value === 'string' && value.length < 20 && /^\s*[+-]?\d+\s*$/.test(value)
    ? Number(value)
    : undefined;

/** Checks a string for digits only: upstream's schema does, after its field has coerced it. */
function requireDigits(value: unknown): void {
  if (typeof value === 'string' && !/^[0-9]*$/.test(value))
    throw invalid(`'${value}' does not match '^[0-9]*$'`);
}

export const countField: Field = {
  read: (value, name) => {
    const number = integerOf(value, name);
    if (number < 0) throw invalid(`Value must be >= 0 for field '${name}'.`);
    requireDigits(value);
    return number;
  },
};

/** @param maxNodes the highest number of nodes of a cluster */
export const capacityField = (min: number, maxNodes: number): Field => ({
  read: (value, name) => {
    const number = integerOf(value, name);
    if (number < min)
      throw invalid(`The value for the ${name} field must be greater than or equal to ${min}.`);
    if (number > maxNodes)
      throw invalid(`The value for the ${name} field must be less than or equal to ${maxNodes}.`);
    requireDigits(value);
    return number;
  },
});

export const numberField: Field = {
  read: (value) => {
    if (
      typeof value === 'string' &&
      value.length < 40 &&
      value.trim() !== '' &&
      Number.isFinite(Number(value))
    )
      throw invalid(`${pythonRepr(value)} is not of type 'number', 'null'`);
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw invalid(`could not convert string to float: ${pythonRepr(value)}`);
    return value;
  },
};

export const booleanField: Field = {
  read: (value) => {
    const found = typeof value === 'boolean' ? value : boolFromString(plain(value));
    if (found === undefined)
      throw invalid(
        `Unrecognized value '${plain(value)}', acceptable values are: '0', '1', 'f', 'false', ` +
          "'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'",
      );
    return found;
  },
};

export const enumField = (...allowed: readonly string[]): Field => ({
  read: (value, name) => {
    if (!allowed.includes(value as string))
      throw invalid(`Value '${plain(value)}' is not acceptable for field '${name}'.`);
    return value;
  },
});

/** A list of unique names or ids, not empty. A string counts as the list of its characters. */
export const identitiesField: Field = {
  read: (value, name) => {
    const items =
      typeof value === 'string' ? Array.from(value) : isMap(value) ? Object.keys(value) : value;
    if (!Array.isArray(items)) throw malformed();
    if (!items.length) throw invalid(`Value for '${name}' must have at least 1 item(s).`);
    if (new Set(items.map((item) => plain(item))).size < items.length)
      throw invalid(`Items for '${name}' must be unique`);
    if (items !== value) throw invalid(`${pythonRepr(value)} is not of type 'array'`);
    return (items as unknown[]).map((item) => ({ ...textField, required: true }).read(item, name));
  },
};

/** A map from each node to its replacement. */
export const replacementsField: Field = {
  read: (value, name) => {
    if (!isMap(value)) throw invalid('The data provided is not a map');
    const entries = Object.entries(value);
    if (!entries.length) throw invalid('The data provided is not a map');
    for (const [key, child] of entries)
      if (child === null) throw invalid(`Field \`${name}[${key}]' cannot be None`);
    const texts = entries.map(([, child]) => textField.read(child, name));
    if (new Set(texts).size < texts.length) throw invalid('Map contains duplicated values');
    return value;
  },
};
