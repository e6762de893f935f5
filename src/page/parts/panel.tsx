// The frame of a part of a view, and what it shows while it has no data.
import type { ComponentChildren } from 'preact';
import { Command } from './command.tsx';

interface PanelProps {
  readonly title: string;
  /** What stands at the right of the title: a count, a link or buttons. */
  readonly aside?: ComponentChildren;
  /** Whether the content reaches the edges, as tables do. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, aside, flush = false, className = '', children }: PanelProps) {
  return (
    <section class={`panel ${flush ? 'flush' : ''} ${className}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      <div class="content">{children}</div>
    </section>
  );
}

interface EmptyProps {
  readonly children: ComponentChildren;
  /** The command that fills the view. */
  readonly command?: string;
  readonly action?: ComponentChildren;
}

/** What a part of a view shows if there is nothing in it: why, and the command to fill it. */
export const Empty = ({ children, command, action }: EmptyProps) => (
  <div class="empty">
    <p>{children}</p>
    {action}
    {command !== undefined && <Command text={command} />}
  </div>
);

interface StateProps {
  readonly error: string | undefined;
}

/** What a part of a view shows until its data is there: the error, or that it loads. */
export const Pending = ({ error }: StateProps) =>
  error === undefined ? (
    <p class="loading">Loading…</p>
  ) : (
    <p class="failed" role="status">
      {error}
    </p>
  );

/** The title of a view, one sentence about it, and its controls. */
export const ViewHead = ({
  title,
  children,
  controls,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly controls?: ComponentChildren;
}) => (
  <header class="view-head">
    <div>
      <h1>{title}</h1>
      {children !== undefined && <p class="lead">{children}</p>}
    </div>
    {controls !== undefined && <div class="controls">{controls}</div>}
  </header>
);
