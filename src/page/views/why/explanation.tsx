// One decision: how many hosts each filter let through, and how the rest were weighed.
import { cumulet } from '../../core/actions.ts';
import {
  isCandidateDetails,
  isServerDetails,
  type Explanation,
  type ServerDetails,
} from '../../core/explanations.ts';
import { hrefOf } from '../../core/router.ts';
import { Command } from '../../parts/command.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { counted } from '../../parts/text.ts';
import { Candidates } from '../../parts/candidates.tsx';
import { Weights } from './weights.tsx';

interface ExplanationProps {
  readonly explanation: Explanation;
  readonly name: string;
}

export function ExplanationPanel({ explanation, name }: ExplanationProps) {
  const { kind, summary, text, details, subject, request_id: request, outcome } = explanation;
  const isPlain = !isServerDetails(details) && !isCandidateDetails(details);
  return (
    <Panel title={name} aside={<Status state={outcome} />}>
      <p class="summary">{summary}</p>
      {isPlain && text.length > 1 && <pre tabIndex={0}>{text.slice(1).join('\n')}</pre>}
      {isServerDetails(details) && <Funnel details={details} />}
      {isServerDetails(details) && details.placement && <Candidates details={details.placement} />}
      {isServerDetails(details) && details.weights.length > 0 && <Weights details={details} />}
      {isCandidateDetails(details) && <Candidates details={details} />}
      <Command
        text={subject === null ? cumulet('why', 'request', request) : cumulet('why', kind, subject)}
      />
      <p class="muted small">
        Request <a href={hrefOf('requests', { id: request })}>{request}</a>
      </p>
    </Panel>
  );
}

interface Step {
  readonly name: string;
  readonly passed: number;
  readonly rejected: number;
  readonly hosts: ServerDetails['filters'][number]['hosts'];
}

/** The hosts that are left after Placement, and after each filter. */
function Funnel({ details: { hosts, candidates, filters, selected } }: { details: ServerDetails }) {
  const steps: Step[] = [
    { name: 'hosts', passed: hosts, rejected: 0, hosts: [] },
    { name: 'placement', passed: candidates, rejected: hosts - candidates, hosts: [] },
    ...filters.map(({ filter, ...step }) => ({ name: filter, ...step })),
  ];
  const shown = steps.filter(({ rejected }, index) => index < 2 || rejected > 0);
  const quiet = steps.length - shown.length;
  return (
    <section class="funnel" aria-label="Filters">
      <h3>Hosts that are left</h3>
      <ol>
        {shown.map(({ name, passed, rejected, hosts: named }) => (
          <li key={name}>
            <span class="name">{name}</span>
            <span class="bar" aria-hidden="true">
              <span class="left" style={{ width: `${share(passed, hosts)}%` }} />
              <span class="lost" style={{ width: `${share(rejected, hosts)}%` }} />
            </span>
            <span class="count">
              {passed}
              {rejected > 0 && <span class="muted"> −{rejected}</span>}
            </span>
            {named.length > 0 && (
              <details open={passed === 0}>
                <summary>{counted(rejected, 'host')} rejected</summary>
                <ul>
                  {named.map(({ host, why }) => (
                    <li key={host}>
                      <a href={hrefOf('hosts', { host })}>{host}</a> {why}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ol>
      <p class="muted small">
        {quiet > 0 && `${counted(quiet, 'other filter')} rejected none. `}
        {selected !== null && (
          <>
            Selected: <a href={hrefOf('hosts', { host: selected })}>{selected}</a>.
          </>
        )}
      </p>
    </section>
  );
}

const share = (part: number, all: number): number => (all ? (part / all) * 100 : 0);
