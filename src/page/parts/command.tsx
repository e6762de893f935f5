// A command that can be copied and pasted into a shell.
import { useState } from 'preact/hooks';
import { after } from '../core/timers.ts';

export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

interface CopyProps {
  readonly text: string;
  readonly label?: string;
}

/** Copies a text, and says so. */
export function CopyButton({ text, label = 'Copy' }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setCopied(true);
    after(1_500, () => setCopied(false));
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  );
}
