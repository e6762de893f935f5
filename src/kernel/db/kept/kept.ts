// Values that a process keeps in memory: they are derived from some tables, and stay valid as long
// as the revision of these tables is the same. See docs/internals/host-state.md.
import type { Db } from '../database.ts';
import { configOf, hasLastWrite } from '../transaction.ts';
import { everything, nameOf, revisionsOf } from './revisions.ts';

/** A value in memory: its parts with their revisions, and what they are combined to. */
interface Entry<Part, Value> {
  readonly revisions: readonly string[];
  readonly parts: readonly Part[];
  readonly value: Value;
}

const entriesKey = Symbol('the values that are kept of a database');

/** The values that are kept of a database. They live as long as its pool. */
function entriesOf(db: Db): Map<unknown, Entry<unknown, unknown>> {
  const config = configOf(db) as { [entriesKey]?: Map<unknown, Entry<unknown, unknown>> };
  return (config[entriesKey] ??= new Map());
}

/** How a value is derived from tables. Nobody may change it, or a part of it, afterwards. */
export interface Derivation<Part, Value> {
  /** The name of the tables' revision, which several values may follow. */
  readonly revision: string;
  /** The number of parts of the tables that change independently. */
  readonly count: number;
  /** Reads some of the parts, in the order of the list. */
  load(db: Db, parts: readonly number[]): Promise<readonly Part[]>;
  combine(parts: readonly Part[]): Value;
}

/**
 * A value that is derived from tables in parts, so that only the parts that have changed are read
 * again. Every transaction that writes to the tables calls `changeRevision`.
 */
export class KeptInParts<Part, Value> {
  private readonly derivation: Derivation<Part, Value>;
  private readonly all: readonly number[];

  constructor(derivation: Derivation<Part, Value>) {
    this.derivation = derivation;
    this.all = Array.from({ length: derivation.count }, (_, part) => part);
  }

  /**
   * The value as the transaction sees it. It reads the parts that it has written to itself, and
   * does not keep them. Outside of a transaction, all parts are read.
   */
  async read(db: Db): Promise<Value> {
    const { all, derivation } = this;
    if (!db.isTransaction || this.hasChanged(db))
      return derivation.combine(await derivation.load(db, all));
    const seen = await revisionsOf(db);
    const { revision } = derivation;
    const common = `${seen.get(everything) ?? ''} ${seen.get(revision) ?? ''}`;
    const revisions = all.map((part) => `${common} ${seen.get(nameOf(revision, part)) ?? ''}`);
    const entry = entriesOf(db).get(this) as Entry<Part, Value> | undefined;
    const stale = all.filter(
      (part) => entry?.revisions[part] !== revisions[part] || this.hasChanged(db, part),
    );
    if (entry && !stale.length) return entry.value;
    const loaded = await derivation.load(db, stale);
    const parts = entry ? [...entry.parts] : [];
    for (const [index, part] of stale.entries()) parts[part] = loaded[index]!;
    const value = derivation.combine(parts);
    const isShared = !this.hasChanged(db) && !all.some((part) => this.hasChanged(db, part));
    if (isShared) entriesOf(db).set(this, { revisions, parts, value });
    return value;
  }

  /**
   * Whether a read uses what is kept. Otherwise, a transaction that needs few rows should read only
   * these, because it may do so many times.
   */
  isUsable(db: Db): boolean {
    return db.isTransaction === true && !this.hasChanged(db);
  }

  /** Whether the transaction itself has written to a part of the tables, or to all of them. */
  private hasChanged(db: Db, part?: number): boolean {
    const { revision } = this.derivation;
    return hasLastWrite(db, nameOf(revision, part)) || hasLastWrite(db, everything);
  }
}

/** A value that is derived from tables as a whole. */
export class Kept<Value> extends KeptInParts<Value, Value> {
  constructor(revision: string, load: (db: Db) => Promise<Value>) {
    super({
      revision,
      count: 1,
      load: async (db) => [await load(db)],
      combine: ([only]) => only!,
    });
  }
}
