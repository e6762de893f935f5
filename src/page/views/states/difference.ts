// What differs between two states: their exported documents, compared row by row.
import { send } from '../../core/http.ts';

/** A row that only one state has, or that differs. */
export interface RowDifference {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly name: string;
  /** The columns that differ, with both values. */
  readonly columns: readonly {
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
}

/** What differs in a table of a database. */
export interface TableDifference {
  /** `RegionOne servers`, say. */
  readonly title: string;
  readonly rows: readonly RowDifference[];
}

type Row = Readonly<Record<string, unknown>>;

/** Tables by `database table`, each with its rows by their keys. */
type State = ReadonlyMap<string, ReadonlyMap<string, Row>>;

/** Columns that change by themselves, or that nobody should see. */
const hidden = /secret|password|hash|key$|token|revision|updated_at|blob|^data$/;

/** Tables that say nothing about resources. */
const skipped = /^(?:cumulet_|jobs$|journal_|explanations$|notifications$|outbox$)/;

/** Reads a state: a snapshot, or the current one without a name. @throws RequestError */
export async function readState(name: string | undefined, signal: AbortSignal): Promise<State> {
  const query = name === undefined ? '' : `?snapshot=${encodeURIComponent(name)}`;
  return parseState(await (await send(`/_emulator/export${query}`, { signal })).text());
}

/** Parses an exported document: lines for databases, tables with columns, and rows. */
function parseState(text: string): State {
  const state = new Map<string, Map<string, Row>>();
  let database = '';
  let columns: readonly string[] = [];
  let rows = new Map<string, Row>();
  for (const line of text.split('\n')) {
    if (!line) continue;
    const value = JSON.parse(line) as unknown;
    if (Array.isArray(value)) {
      const row = Object.fromEntries(columns.map((column, index) => [column, value[index]]));
      rows.set(keyOf(row, value), row);
    } else if (typeof value === 'object' && value !== null) {
      const head = value as { database?: string; table?: string; columns?: string[] };
      if (head.database !== undefined) database = head.database;
      if (head.table !== undefined) {
        columns = head.columns ?? [];
        rows = new Map();
        if (!skipped.test(head.table)) state.set(`${database} ${head.table}`, rows);
      }
    }
  }
  return state;
}

/** A key of a row: its own id, or the ids that it refers to, or all of it. */
function keyOf(row: Row, values: readonly unknown[]): string {
  const own = row['uuid'] ?? row['id'];
  if (own !== undefined) return String(own);
  const references = Object.keys(row).filter((column) => /(?:^|_)u?u?id$/.test(column));
  return JSON.stringify(references.length > 1 ? references.map((name) => row[name]) : values);
}

const nameOf = (row: Row, key: string): string => {
  const name = row['name'] ?? row['display_name'] ?? row['hostname'];
  return typeof name === 'string' && name ? name : key.length > 60 ? `${key.slice(0, 60)}…` : key;
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** Compares two states. Tables without a difference are left out. */
export function differences(before: State, after: State): TableDifference[] {
  const titles = [...new Set([...before.keys(), ...after.keys()])].sort();
  return titles
    .map((title) => ({
      title: title.replaceAll('_', ' '),
      rows: rowDifferences(before.get(title) ?? new Map(), after.get(title) ?? new Map()),
    }))
    .filter(({ rows }) => rows.length > 0);
}

function rowDifferences(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
): RowDifference[] {
  const found: RowDifference[] = [];
  for (const [key, row] of after) {
    const old = before.get(key);
    if (!old) found.push({ kind: 'added', name: nameOf(row, key), columns: [] });
    else {
      const columns = Object.keys(row)
        .filter((column) => !hidden.test(column))
        .filter((column) => JSON.stringify(old[column]) !== JSON.stringify(row[column]))
        .map((name) => ({ name, before: shown(old[name]), after: shown(row[name]) }));
      if (columns.length) found.push({ kind: 'changed', name: nameOf(row, key), columns });
    }
  }
  for (const [key, row] of before)
    if (!after.has(key)) found.push({ kind: 'removed', name: nameOf(row, key), columns: [] });
  return found;
}
