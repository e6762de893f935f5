// Invalid bodies of inventories, for every operation that writes inventories.

/** The maximum of an integer column. */
export const maxInteger = 2_147_483_647;

/** Bodies that every version rejects: a description, the body and the error message. */
export const invalidInventories: readonly (readonly [string, object, RegExp])[] = [
  ['no total', { reserved: 1 }, /'total' is a required property/],
  [
    'a total of 0',
    { total: 0 },
    /0 is less than the minimum of 1 {2}Failed validating 'minimum' in schema.*\['properties'\]\['total'\]:/,
  ],
  ['a negative total', { total: -1 }, /-1 is less than the minimum of 1/],
  [
    'a total that no column holds',
    { total: maxInteger + 1 },
    /2147483648 is greater than the maximum of 2147483647 {2}Failed validating 'maximum'/,
  ],
  ['a total in quotes', { total: '4' }, /'4' is not of type 'integer'/],
  ['true for a total', { total: true }, /True is not of type 'integer'/],
  ['half a unit', { total: 4.5 }, /4\.5 is not of type 'integer'/],
  ['negative reserves', { total: 4, reserved: -1 }, /-1 is less than the minimum of 0/],
  ['a least unit of 0', { total: 4, min_unit: 0 }, /0 is less than the minimum of 1/],
  ['a greatest unit of 0', { total: 4, max_unit: 0 }, /0 is less than the minimum of 1/],
  ['a step of 0', { total: 4, step_size: 0 }, /0 is less than the minimum of 1/],
  [
    'a ratio that no float holds',
    { total: 4, allocation_ratio: 3.5e38 },
    /is greater than the maximum of 3\.40282e\+38/,
  ],
  [
    'other fields',
    { total: 4, bad_field: 1 },
    /Additional properties are not allowed \('bad_field' was unexpected\)/,
  ],
];
