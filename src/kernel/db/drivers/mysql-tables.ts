// Creates a table with its indexes and foreign keys in one statement, where Knex adds each by an
// ALTER TABLE of its own, and renames columns in place.
import knexCompiler from 'knex/lib/dialects/mysql/schema/mysql-tablecompiler.js';

/** What this file uses of Knex's compiler of tables. */
interface Compiler {
  /** The statements so far. */
  readonly sequence: { sql: string }[];
  readonly formatter: { wrap(name: string): string };
  /** Whether Knex wants what belongs into the parentheses of CREATE TABLE. */
  readonly forCreate?: boolean;
  index(...args: readonly unknown[]): void;
  unique(...args: readonly unknown[]): void;
  tableName(): string;
  pushQuery(sql: string): void;
}

const KnexCompiler = knexCompiler as new (client: unknown, builder: unknown) => Compiler;

export class MysqlTableCompiler extends KnexCompiler {
  /** The parts of a new table that belong into CREATE TABLE. */
  readonly createAlterTableMethods = ['index', 'unique', 'foreign'];

  override index(...args: readonly unknown[]): void {
    super.index(...args);
    this.shorten();
  }

  override unique(...args: readonly unknown[]): void {
    super.unique(...args);
    this.shorten();
  }

  /**
   * Renames a column in one statement. Knex looks for foreign keys to the table first, by a query
   * that opens every table of every database of the server.
   */
  renameColumn(from: string, to: string): void {
    const names = [from, to].map((name) => this.formatter.wrap(name));
    this.pushQuery(`alter table ${this.tableName()} rename column ${names.join(' to ')}`);
  }

  /** Leaves of `alter table x add index y` what CREATE TABLE takes; Knex does so for foreign keys. */
  private shorten(): void {
    const last = this.sequence.at(-1);
    if (this.forCreate && last) last.sql = last.sql.replace(/^alter table \S+ add /, '');
  }
}
