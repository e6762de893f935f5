// Explanations: why a decision went as it did, in a form that every kind of decision shares.

/** The outcomes of decisions; `partial` gave less than was asked for, without an error. */
export const outcomes = ['success', 'partial', 'failure'] as const;

/** What was decided, about what, and with which outcome. */
export interface Decision {
  readonly kind: ExplanationKind;
  /** What the decision was about: the id of a server, say; null for a question. */
  readonly subject: string | null;
  /** Its name, if it has one. A lease that is refused has a name and no id. */
  readonly name?: string;
  readonly outcome: (typeof outcomes)[number];
  /** What was chosen, such as the name of a host. */
  readonly choice?: string;
}

/** What an attempt of a transaction chose before it rolled back. */
export interface LostChoice {
  readonly attempt: number;
  readonly choice: string;
}

/** A decision of a service, explained. */
export interface Explanation extends Decision {
  /** The decision in one sentence. */
  readonly summary: string;
  /** The explanation for people, a line each. The indentation is two spaces a level. */
  readonly text: readonly string[];
  /** The same for programs. The fields depend on the kind. */
  readonly details: object;
}

/** The kinds of decisions that are explained. */
export const explanationKinds = ['candidates', 'server', 'lease', 'action', 'pod'] as const;
export type ExplanationKind = (typeof explanationKinds)[number];

/** The version of the format, which changes if a field changes its meaning or disappears. */
export const explanationFormat = 1;
