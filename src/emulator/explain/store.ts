// The kept explanations of a region's decisions.
import type { Micros } from '../../kernel/clock.ts';
import { integer, jsonObject, micros, text, textOf } from '../../kernel/db/columns.ts';
import type { Db } from '../../kernel/db/database.ts';
import { Table } from '../../kernel/db/table.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { Condition } from '../../kernel/db/listing.ts';
import {
  explanationKinds,
  outcomes,
  type Decision,
  type Explanation,
  type ExplanationKind,
} from './model.ts';

/** An explanation with the request that led to the decision. */
export interface KeptExplanation {
  readonly id: number;
  readonly requestId: string;
  readonly kind: ExplanationKind;
  /** Empty for a question, which is about nothing that exists. */
  readonly subject: string;
  /** Empty if the subject has no name. */
  readonly name: string;
  readonly outcome: Decision['outcome'];
  readonly explanation: Pick<Explanation, 'summary' | 'text' | 'details'>;
  readonly createdAt: Micros;
}

const explanations = new Table<KeptExplanation, 'id'>(
  'explanations',
  {
    id: integer,
    requestId: text,
    kind: textOf<ExplanationKind>(explanationKinds),
    subject: text,
    name: text,
    outcome: textOf<Decision['outcome']>(outcomes),
    explanation: jsonObject<KeptExplanation['explanation']>(),
    createdAt: micros,
  },
  { generated: 'id' },
);

/** Which explanations to list. An absent field does not restrict the list. */
export interface ExplanationFilter {
  readonly kind?: ExplanationKind;
  readonly subject?: string;
  /** Either the id or the name of the subject. */
  readonly about?: string;
  readonly requestId?: string;
  readonly outcome?: Decision['outcome'];
}

/** Lists the newest explanations that match, the newest first. */
export function listExplanations(
  db: Db,
  { about, ...where }: ExplanationFilter,
  limit: number,
): Promise<KeptExplanation[]> {
  const conditions: Condition[] =
    about === undefined
      ? []
      : [
          (query) =>
            void query.where(
              (either) => void either.where({ subject: about }).orWhere({ name: about }),
            ),
        ];
  return explanations.list(db, {
    where,
    conditions,
    sort: [{ field: 'id', descending: true }],
    limit,
  });
}

/** How many explanations one statement writes: with more values, it would be compiled each time. */
const perStatement = 10;

/** Writes explanations. Each replaces an earlier one of the same decision. */
export async function writeExplanations(
  db: Db,
  written: readonly Omit<KeptExplanation, 'id'>[],
): Promise<void> {
  for (let at = 0; at < written.length; at += perStatement)
    await explanations.upsert(db, written.slice(at, at + perStatement), [
      'requestId',
      'kind',
      'subject',
    ]);
}

/** Deletes all explanations but the newest `keep`. */
export async function trimExplanations(db: Db, keep: number): Promise<void> {
  const [row] = (await explanations.query(db).max('id as newest')) as { newest: number | null }[];
  const newest = row!.newest ?? 0;
  await transact(db, (trx) =>
    explanations
      .query(trx)
      .where('id', '<=', newest - keep)
      .delete(),
  );
}
