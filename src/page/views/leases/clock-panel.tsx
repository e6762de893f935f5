// Moves the clock, and lists before what is due on the way.
import { useState } from 'preact/hooks';
import { advanceAction, freezeAction } from '../../core/clock.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { counted, dayTime, relative, shortId } from '../../parts/text.ts';
import { day, type Span } from '../../parts/timeline.tsx';
import type { Job, Lease } from './model.ts';

interface ClockPanelProps {
  readonly now: number;
  readonly frozen: boolean;
  readonly span: Span;
  readonly jobs: readonly Job[];
  readonly leases: readonly Lease[];
  readonly target: number;
  readonly onTarget: (target: number) => void;
}

const minute = 60_000;

const steps = [
  ['1 hour', day / 24],
  ['1 day', day],
  ['1 week', 7 * day],
] as const;

/** The time without fractions, as the API takes it. */
const isoOf = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

export function ClockPanel(props: ClockPanelProps) {
  const { now, frozen, span, jobs, leases, target, onTarget } = props;
  const [key, setKey] = useState(0);
  const due = jobs.filter(({ due_at }) => Date.parse(due_at) <= target);
  const isAhead = target > now;
  const names = new Map(leases.map(({ id, name }) => [id, name]));
  return (
    <Panel
      title="Clock"
      aside={
        <ActionButton action={() => freezeAction(!frozen)}>
          {frozen ? 'Let it run' : 'Freeze'}
        </ActionButton>
      }
    >
      <div class="row">
        <label class="field wide">
          <span>Move to</span>
          <input
            key={key}
            type="range"
            min={0}
            max={Math.max(1, Math.round((span.to - now) / minute))}
            step={60}
            value={Math.max(0, Math.round((target - now) / minute))}
            aria-valuetext={`${dayTime(isoOf(target))} UTC`}
            onInput={(event) => onTarget(now + Number(event.currentTarget.value) * minute)}
          />
        </label>
        {steps.map(([name, size]) => (
          <button key={name} type="button" onClick={() => onTarget(Math.max(target, now) + size)}>
            + {name}
          </button>
        ))}
        <ActionButton
          kind="primary"
          disabled={!isAhead}
          action={() => advanceAction(isoOf(target))}
          onDone={() => {
            onTarget(0);
            setKey(key + 1);
          }}
        >
          {isAhead ? `Advance to ${dayTime(isoOf(target))}` : 'Advance'}
        </ActionButton>
      </div>
      <h3>
        {!isAhead
          ? 'Choose a time to see what is due on the way'
          : due.length
            ? `${counted(due.length, 'job')} due on the way`
            : 'Nothing is due on the way'}
      </h3>
      {isAhead && due.length > 0 && (
        <Table
          label="Jobs that are due"
          rows={due}
          height="16rem"
          keyOf={({ id }) => id}
          columns={[
            { title: 'Due', cell: ({ due_at }) => dayTime(due_at) },
            { title: 'In', cell: ({ due_at }) => relative(due_at, now), minor: true },
            { title: 'Job', cell: ({ kind }) => kind },
            { title: 'Of', cell: ({ subject }) => names.get(subject) ?? shortId(subject) },
          ]}
        />
      )}
    </Panel>
  );
}
