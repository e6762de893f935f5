// The settings of a service that an operator changes at runtime. Upstream reads them from a
// configuration file.
import { json, snakeCase, text, type ColumnRules, type Stored } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import { Kept } from '../db/kept/kept.ts';
import { changeRevision } from '../db/kept/revisions.ts';
import { Table } from '../db/table.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { checkerOf, type Failure } from './contract.ts';

/**
 * One setting of a service. Everything about it is said here once: the checks of requests, its
 * type, and the reference page are all derived from it.
 */
export interface SettingDeclaration<T = unknown> {
  /** The JSON Schema of the value in a request. */
  readonly schema: JsonObject;
  readonly default: T;
  /** One or more sentences for the reference page. */
  readonly help: string;
  /** Upstream's option, such as `[manager] minutes_before_end_lease`, if it has one. */
  readonly upstream?: string;
  /** Turns the value of a request into the value of the setting, if they differ. */
  readonly read?: (value: never) => T;
  /** What clients see of the value, if they do not see all of it. */
  readonly view?: (value: T) => unknown;
}

/** The values of settings by field, such as `maxLeaseDuration` for `max_lease_duration`. */
export type SettingValues<Declarations> = {
  readonly [Field in keyof Declarations]: Declarations[Field] extends { readonly default: infer T }
    ? T
    : never;
};

/** Declares a setting with a value of type `T`. */
export const setting = <T>(declaration: SettingDeclaration<T>): SettingDeclaration<T> =>
  declaration;

type Described<T> = Omit<SettingDeclaration<T>, 'schema' | 'read' | 'view'>;

/** Declares a setting that is an integer of a range. */
export const integerSetting = ({
  minimum,
  maximum = 2_147_483_647,
  ...declaration
}: Described<number> & {
  readonly minimum: number;
  readonly maximum?: number;
}): SettingDeclaration<number> => ({
  ...declaration,
  schema: { type: 'integer', minimum, maximum },
});

/** Declares a setting that is any number, or one of a range. */
export const numberSetting = ({
  minimum,
  ...declaration
}: Described<number> & { readonly minimum?: number | undefined }): SettingDeclaration<number> => ({
  ...declaration,
  schema: { type: 'number', ...(minimum === undefined ? {} : { minimum }) },
});

/** Declares a setting that is true or false. */
export const booleanSetting = (declaration: Described<boolean>): SettingDeclaration<boolean> => ({
  ...declaration,
  schema: { type: 'boolean' },
});

/** Declares a setting that is one of a few words. */
export const choiceSetting = <T extends string>({
  choices,
  ...declaration
}: Described<T> & { readonly choices: readonly T[] }): SettingDeclaration<T> => ({
  ...declaration,
  schema: { enum: choices },
});

/** Declares a setting that is a text. */
export const textSetting = ({
  maxLength = 255,
  ...declaration
}: Described<string> & { readonly maxLength?: number }): SettingDeclaration<string> => ({
  ...declaration,
  schema: { type: 'string', maxLength },
});

/** The name of the row that holds all settings of a service. */
const rowName = 'settings';

const typeName = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

/** The object that a stored text holds as JSON; undefined if it holds something else. */
function objectIn(stored: Stored): JsonObject | undefined {
  try {
    const value = JSON.parse(String(stored)) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The settings of a service, which live in the table `<service>_settings` of its database: a reset
 * of the service sets them back, and a snapshot includes them.
 */
export class ServiceSettings<Declarations extends object = object> {
  readonly declarations: Declarations;
  /** The JSON Schema of a request that changes settings. */
  readonly schema: JsonObject;
  /** The violations of a request that changes settings; undefined if it is valid. */
  readonly check: (body: unknown) => Failure | undefined;
  readonly defaults: SettingValues<Declarations>;
  private readonly table: Table<{ name: string; value: object }>;
  private readonly revision: string;
  private readonly kept: Kept<SettingValues<Declarations>>;

  constructor(service: string, declarations: Declarations) {
    this.declarations = declarations;
    this.defaults = Object.fromEntries(
      this.entries.map(([field, { default: value }]): [string, unknown] => [field, value]),
    ) as SettingValues<Declarations>;
    this.schema = {
      type: 'object',
      properties: Object.fromEntries(
        this.entries.map(([field, { schema }]) => [snakeCase(field), schema]),
      ),
      additionalProperties: false,
    };
    this.check = checkerOf(this.schema);
    this.table = new Table(
      `${service}_settings`,
      { name: text, value: { ...json<object>(), mismatch: this.mismatch } },
      { key: 'name' },
    );
    this.revision = `${service}.settings`;
    this.kept = new Kept(this.revision, async (db) => {
      const changed = await this.table.find(db, { name: rowName });
      return { ...this.defaults, ...changed?.value };
    });
  }

  /** What the stored settings must be: each is null, or has the type of its default. */
  private readonly mismatch: NonNullable<ColumnRules['mismatch']> = (stored, { name }) => {
    if (name !== rowName) return undefined; // a row of the service's own
    const values = objectIn(stored);
    const wrong = this.entries.find(
      ([field, { default: usual }]) =>
        (values?.[field] ?? null) !== null &&
        usual !== null &&
        typeName(values?.[field]) !== typeName(usual),
    );
    if (wrong) return `a JSON object whose ${wrong[0]} has the type ${typeName(wrong[1].default)}`;
    return values ? undefined : 'a JSON object';
  };

  /** The values as the transaction sees them. */
  load(db: Db): Promise<SettingValues<Declarations>> {
    return this.kept.read(db);
  }

  /** Whether any setting has been changed since the service was created or reset. */
  areChanged(db: Db): Promise<boolean> {
    return this.table.exists(db, { name: rowName });
  }

  /**
   * Changes the settings that a valid request names, and keeps the others.
   * @returns the fields that have got another value
   */
  async change(db: Db, body: Readonly<Record<string, unknown>>): Promise<ReadonlySet<string>> {
    const before = await this.load(db);
    const changes = this.entries.flatMap(([field, { read }]) => {
      const value = body[snakeCase(field)];
      return value === undefined ? [] : [[field, read ? read(value as never) : value] as const];
    });
    const value = { ...before, ...Object.fromEntries(changes) };
    changeRevision(db, this.revision);
    await this.table.upsert(db, [{ name: rowName, value }]);
    const differs = ([field, given]: readonly [string, unknown]): boolean =>
      JSON.stringify(given) !== JSON.stringify((before as Record<string, unknown>)[field]);
    return new Set(changes.filter(differs).map(([field]) => field));
  }

  /** The values as clients see them. */
  view(values: SettingValues<Declarations>): object {
    return Object.fromEntries(
      this.entries.map(([field, { view }]) => {
        const value = (values as Record<string, unknown>)[field];
        return [snakeCase(field), view ? view(value as never) : value];
      }),
    );
  }

  private get entries(): [string, SettingDeclaration<never>][] {
    return Object.entries(this.declarations) as [string, SettingDeclaration<never>][];
  }
}
