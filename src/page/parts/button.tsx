// A button that runs an action once at a time.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { perform, type Action } from '../core/actions.ts';

interface ActionButtonProps {
  readonly action: () => Action;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly disabled?: boolean;
  readonly onDone?: () => void;
  readonly children: ComponentChildren;
}

export function ActionButton(props: ActionButtonProps) {
  const { action, kind = 'plain', disabled = false, onDone, children } = props;
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    const isDone = await perform(action());
    setBusy(false);
    if (isDone) onDone?.();
  };
  return (
    <button
      type="button"
      class={kind === 'plain' ? undefined : kind}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      onClick={() => void run()}
    >
      {children}
    </button>
  );
}
