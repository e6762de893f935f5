// Explanations of decisions, as /_emulator/explain shows them.
import { emulator } from './http.ts';

/** A provider that a cause or a change is about. */
export interface Provider {
  readonly uuid: string;
  readonly name: string;
}

/** Why a provider tree is not offered. */
export interface RejectedTree {
  readonly root: Provider;
  readonly causes: readonly { readonly cause: string; readonly text: string }[];
  /** The smallest change after which it would be offered; null if none is known. */
  readonly change: readonly { readonly text: string }[] | null;
}

/** What is explained of allocation candidates. */
export interface CandidateDetails {
  readonly candidates: number;
  readonly refusal: string | null;
  readonly trees: { readonly total: number; readonly offered: number; readonly rejected: number };
  readonly causes: readonly {
    readonly cause: string;
    readonly count: number;
    readonly trees: readonly string[];
  }[];
  readonly rejected: readonly RejectedTree[];
}

/** What is explained of the host of a server. */
export interface ServerDetails {
  readonly hosts: number;
  readonly candidates: number;
  readonly placement: CandidateDetails | null;
  readonly filters: readonly {
    readonly filter: string;
    readonly passed: number;
    readonly rejected: number;
    readonly hosts: readonly { readonly host: string; readonly why: string }[];
  }[];
  readonly weights: readonly {
    readonly host: string;
    readonly weight: number;
    readonly weighers: Readonly<Record<string, number>>;
  }[];
  readonly selected: string | null;
}

/** An explanation of a decision. */
export interface Explanation {
  readonly region: string;
  readonly request_id: string;
  readonly time: string;
  readonly kind: string;
  readonly subject: string | null;
  /** The name of the subject when the decision was taken. */
  readonly name: string | null;
  readonly outcome: 'success' | 'partial' | 'failure';
  readonly summary: string;
  readonly text: readonly string[];
  readonly details: unknown;
}

/** The newest explanations, and whether successes are explained as well. */
export interface Explanations {
  readonly all: boolean;
  readonly explanations: readonly Explanation[];
}

export const readExplanations = (query: string, signal: AbortSignal): Promise<Explanations> =>
  emulator<Explanations>(`/explain?${query}`, { signal });

export const isServerDetails = (details: unknown): details is ServerDetails =>
  typeof details === 'object' && details !== null && 'filters' in details;

export const isCandidateDetails = (details: unknown): details is CandidateDetails =>
  typeof details === 'object' && details !== null && 'trees' in details;
