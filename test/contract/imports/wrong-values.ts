// Wrong values for the columns of a filled cloud.
import { encode } from '../../../src/emulator/snapshots/document.ts';
import { snapshotTables } from '../../../src/emulator/snapshots/store/contents.ts';
import type { Value } from '../../../src/emulator/snapshots/model.ts';
import type { Database } from '../../../src/kernel/db/database.ts';
import type { ColumnShape, TableShape } from '../../../src/kernel/db/schema/shapes.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';

/** A column of a row, and a wrong value for it. */
export interface WrongCell {
  readonly database: Database;
  readonly table: TableShape;
  readonly column: ColumnShape;
  /** The values of the row as a document has them, in the order of the columns. */
  readonly row: readonly unknown[];
  readonly wrong: unknown;
}

export const cellName = ({ table, column, wrong }: WrongCell): string =>
  `${table.name}.${column.name} = ${JSON.stringify(wrong)}`;

/** How many lists and objects with a wrong member are tried for a column. */
const membersPerColumn = 12;

const brokenJson = '{"a": ';
const wrongTexts = ['', 'wrong', '999.1.1.1/99', '\u0000'];
const wrongNumbers = [-1, 0, 0.5, 2 ** 31 - 1, Number.MAX_SAFE_INTEGER, 1e300];
/** Each is valid JSON, but hardly what a column means. */
const wrongJson = ['null', '1', '"wrong"', '[]', '{}', '[null]', '["wrong"]', '[{}]', '{"a":null}'];
const wrongMembers = [null, 'wrong', -1, [null], { wrong: null }];

const otherType = { number: 'wrong', text: 5, bytes: { base64: '*' } };

/** Lists values that a column should not have, as a document has them. */
function wrongValuesFor({ type }: ColumnShape, right: unknown, random: SeededRandom): unknown[] {
  const anyway = [null, otherType[type], { a: 1 }, [1]];
  if (type === 'number') return [...anyway, ...wrongNumbers];
  if (type === 'bytes') return [...anyway, { base64: '' }, { base64: '/w==' }];
  const json = jsonIn(right);
  if (json === undefined) return [...anyway, ...wrongTexts, brokenJson];
  const changed = random
    .shuffled(withWrongMember(json))
    .slice(0, membersPerColumn)
    .map((value) => JSON.stringify(value));
  return [...anyway, 'wrong', brokenJson, ...wrongJson, ...changed];
}

/** The list or object that a text holds; undefined if it is another text. */
function jsonIn(text: unknown): object | undefined {
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** Copies a list or an object, each time with another wrong or missing member. */
function withWrongMember(json: object): object[] {
  if (Array.isArray(json)) {
    if (!json.length) return [];
    const [first, ...rest] = json as unknown[];
    return [...wrongMembers, ...nested(first)].map((value) => [value, ...rest]);
  }
  return Object.keys(json).flatMap((name) => {
    const { [name]: member, ...rest } = json as Record<string, unknown>;
    const values = [...wrongMembers, ...nested(member)];
    return [rest, ...values.map((value) => ({ ...json, [name]: value }))];
  });
}

const nested = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? withWrongMember(value) : [];

/**
 * Lists wrong values for all columns of a row of each table.
 * @param isKnown whether a request names the value, so that its row is a good choice
 */
export async function wrongCells(
  database: Database,
  random: SeededRandom,
  isKnown: (value: unknown) => boolean,
): Promise<WrongCell[]> {
  const cells: WrongCell[] = [];
  for (const table of await snapshotTables(database, database.db)) {
    const rows = (await database.db(table.name).select('*').limit(200)) as Record<string, Value>[];
    const known = rows.filter((row) => Object.values(row).some(isKnown));
    const chosen = random.pick(known.length ? known : rows);
    if (!chosen) continue;
    const row = table.columns.map(({ name }) => encode(chosen[name]!));
    for (const [index, column] of table.columns.entries())
      for (const wrong of wrongValuesFor(column, row[index], random))
        if (JSON.stringify(wrong) !== JSON.stringify(row[index]))
          cells.push({ database, table, column, row, wrong });
  }
  return cells;
}

/** The row with the wrong value. */
export const wrongRow = ({ table, column, row, wrong }: WrongCell): unknown[] =>
  row.with(table.columns.indexOf(column), wrong);
