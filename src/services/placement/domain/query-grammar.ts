// Parses Placement's query parameters for resources, traits, aggregates and trees.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import type { Version } from '../../../kernel/microversion.ts';
import { isUuidLike, normalUuid } from '../../../kernel/ids.ts';
import type { PlacementVersion } from '../versions.ts';
import type { AggregateRequest, TraitRequest } from '../model.ts';

type At = Version<PlacementVersion>;

const invalid = (what: string): ApiError => badRequest(`Invalid query string parameters: ${what}`);

/**
 * Parses `VCPU:2,MEMORY_MB:1024` into amounts by resource class. The last amount of a class counts.
 * @throws 400
 */
export function parseResources(text: string): Map<string, number> {
  const malformed = (got: string): ApiError =>
    badRequest(
      'Badly formed resources parameter. Expected resources query string parameter in form: ' +
        `?resources=VCPU:2,MEMORY_MB:1024. Got: ${got}.`,
    );
  if (text.trim() === '') throw malformed('empty string');
  const amounts = new Map<string, number>();
  for (const item of text.split(',')) {
    const parts = item.split(':');
    if (parts.length !== 2) throw malformed(item);
    amounts.set(parts[0]!, parseAmount(parts[0]!, parts[1]!));
  }
  return amounts;
}

/**
 * Parses a number as Python's int() does: it allows surrounding blanks, a sign and single
 * underscores between digits.
 */
function parseAmount(name: string, text: string): number {
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(text))
    throw badRequest(`Requested resource ${name} expected positive integer amount. Got: ${text}.`);
  const amount = Number(text.replaceAll('_', ''));
  if (amount < 1)
    throw badRequest(`Requested resource ${name} requires amount >= 1. Got: ${amount}.`);
  return amount;
}

/** Parses the values of `required`. Before 1.39 only the last one counts. @throws 400 */
export function parseTraits(values: readonly string[], version: At): TraitRequest {
  const grammar = { allowForbidden: version.has('1.22'), allowAnyOf: version.has('1.39') };
  const parsed = (grammar.allowAnyOf ? values : values.slice(-1)).map((value) =>
    parseTraitList(value, grammar),
  );
  return {
    required: parsed.flatMap((traits) => traits.required),
    forbidden: [...new Set(parsed.flatMap((traits) => traits.forbidden))],
  };
}

/**
 * Parses one value: `T1,!T2` or `in:T1,T2`. `allowForbidden` and `allowAnyOf` are whether the
 * version supports `!` and `in:`.
 * @throws 400
 */
export function parseTraitList(
  value: string,
  grammar: { allowForbidden: boolean; allowAnyOf: boolean },
): TraitRequest {
  const anyForm = "The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC'";
  if (value.startsWith('in:')) {
    if (!grammar.allowAnyOf)
      throw invalid(`${anyForm} only supported since microversion 1.39. Got: ${value}`);
    const any = splitTrimmed(value.slice('in:'.length));
    if (any.includes(''))
      throw invalid(
        "Expected 'required' parameter value of the form: in:HW_CPU_X86_VMX,CUSTOM_MAGIC. " +
          `Got an empty trait in: ${value}`,
      );
    if (any.some((trait) => trait.startsWith('!')))
      throw invalid(`${anyForm} does not support forbidden traits. Got: ${value}`);
    return { required: [[...new Set(any)]], forbidden: [] };
  }
  const traits = splitTrimmed(value);
  const forbidden = traits
    .filter((trait) => trait.startsWith('!'))
    .map((trait) => trait.replace(/^!+/, ''));
  if ([...traits, ...forbidden].includes('')) {
    const form = grammar.allowForbidden
      ? 'HW_CPU_X86_VMX,!CUSTOM_MAGIC'
      : 'HW_CPU_X86_VMX,CUSTOM_MAGIC';
    throw invalid(
      `Expected 'required' parameter value of the form: ${form}. Got an empty trait in: ${value}`,
    );
  }
  if (forbidden.length && !grammar.allowForbidden)
    throw invalid(
      `Expected 'required' parameter value of the form: HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: ${value}`,
    );
  return {
    required: traits.filter((trait) => !trait.startsWith('!')).map((trait) => [trait]),
    forbidden,
  };
}

export const splitTrimmed = (text: string): string[] => text.split(',').map((part) => part.trim());

/**
 * Parses the values of a `member_of` parameter. Error messages show the suffix of its group.
 * @throws 400
 */
export function parseMemberOf(
  values: readonly string[],
  version: At,
  suffix = '',
): AggregateRequest {
  if (values.length > 1 && !version.has('1.24'))
    throw badRequest(`Multiple member_of${suffix} parameters are not supported`);
  const required: string[][] = [];
  const forbidden: string[] = [];
  for (const value of values) {
    const { negated, uuids } = parseAggregates(value);
    if (negated && !version.has('1.32'))
      throw badRequest(
        `Forbidden member_of${suffix} parameters are not supported in the specified microversion`,
      );
    if (negated) forbidden.push(...uuids);
    else required.push(uuids);
  }
  return { required, forbidden };
}

function parseAggregates(value: string): { negated: boolean; uuids: string[] } {
  const [, negation, many, list] = /^(!?)(in:)?(.*)$/s.exec(value)!;
  if (value.includes(',') && !many) {
    throw badRequest(
      "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword " +
        `using the valid microversion. Got: ${value}`,
    );
  }
  const uuids = many ? list!.split(',') : [list!];
  const bad = uuids.find((uuid) => !isUuidLike(uuid));
  if (bad !== undefined)
    throw invalid(`Expected 'member_of' parameter to contain valid UUID(s). Got: ${bad}`);
  return { negated: negation === '!', uuids };
}

/** Parses the value of an `in_tree` parameter: the UUID of a provider. @throws 400 */
export function parseInTree(value: string): string {
  const uuid = value.trim();
  if (!isUuidLike(uuid))
    throw invalid(`Expected 'in_tree' parameter to be a format of uuid. Got: ${value}`);
  return normalUuid(uuid);
}
