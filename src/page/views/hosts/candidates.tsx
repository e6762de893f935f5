// A question to Placement, answered as one types. The table of trees shows the answer for each.
import { cumulet } from '../../core/actions.ts';
import { useRegion } from '../../core/cloud.ts';
import {
  isCandidateDetails,
  type CandidateDetails,
  type Explanation,
  type RejectedTree,
} from '../../core/explanations.ts';
import { emulator } from '../../core/http.ts';
import { useLive, type Loaded } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { Command } from '../../parts/command.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Panel, Pending } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';

const examples = [
  'resources=VCPU:4,MEMORY_MB:8192',
  'resources=VCPU:1&required=HW_CPU_X86_AVX2',
  'resources=VGPU:1',
];

/** How often a request is served, if the first candidate is claimed each time. */
interface Capacity {
  readonly count: number;
  readonly summary: string;
  /** The provider trees. */
  readonly hosts: readonly { readonly uuid: string; readonly count: number }[];
}

/** The answer to a query: which trees Placement offers now, and how often they would serve it. */
export interface Answer {
  readonly explanation: Explanation;
  readonly capacity: Capacity;
}

/** The answer to the query of the address; undefined data without a query. */
export function useAnswer(): Loaded<Answer | undefined> {
  const query = (useQuery()['q'] ?? '').trim();
  const { parameter } = useRegion();
  return useLive(`fit ${query} ${parameter}`, ['placement'], async (signal) => {
    if (query === '') return undefined;
    const all = `query=${encodeURIComponent(query)}${parameter && `&${parameter}`}`;
    const [{ explanation }, { capacity }] = await Promise.all([
      emulator<Pick<Answer, 'explanation'>>(`/explain/candidates?${all}`, { signal }),
      emulator<Pick<Answer, 'capacity'>>(`/capacity/candidates?${all}`, { signal }),
    ]);
    return { explanation, capacity };
  });
}

interface QuestionProps {
  readonly answer: Loaded<Answer | undefined>;
}

export function QuestionPanel({ answer: { data, error } }: QuestionProps) {
  const query = (useQuery()['q'] ?? '').trim();
  return (
    <Panel title="What would fit?" className="question">
      <TextField
        name="q"
        label="Query of allocation candidates"
        placeholder="resources=VCPU:4,MEMORY_MB:8192"
        wide
      />
      {query === '' ? (
        <p class="examples">
          For example{' '}
          {examples.map((example) => (
            <button
              key={example}
              type="button"
              class="quiet"
              onClick={() => setQuery({ q: example })}
            >
              <code>{example}</code>
            </button>
          ))}
        </p>
      ) : error !== undefined || !data ? (
        <Pending error={error} />
      ) : (
        <div class="answer" role="status">
          <p class="summary">{data.explanation.summary}</p>
          <Command text={cumulet('why', 'candidates', query)} />
          {data.capacity.count > 0 && (
            <>
              <p>{data.capacity.summary}</p>
              <Command text={cumulet('capacity', query)} />
            </>
          )}
        </div>
      )}
    </Panel>
  );
}

/** Whether a tree is offered; undefined if the explanation does not list it. */
export type Offer = 'offered' | RejectedTree | undefined;

/** What the answer says about a tree. */
export function offerOf(answer: Answer | undefined, uuid: string): Offer {
  if (!answer || !isCandidateDetails(answer.explanation.details)) return undefined;
  const { rejected, trees }: CandidateDetails = answer.explanation.details;
  const found = rejected.find(({ root }) => root.uuid === uuid);
  return found ?? (rejected.length === trees.rejected ? 'offered' : undefined);
}

/** How often a tree would serve the request. */
export const countOf = ({ capacity: { hosts } }: Answer, uuid: string): number =>
  hosts.find((host) => host.uuid === uuid)?.count ?? 0;

export function OfferCell({ offer }: { readonly offer: Offer }) {
  if (offer === undefined) return <span class="muted">–</span>;
  if (offer === 'offered') return <Status state="offered" />;
  const text = offer.causes.map(({ text }) => text).join('; ');
  return (
    <span title={text}>
      <Status state="no" tone="bad" /> {text}
    </span>
  );
}
