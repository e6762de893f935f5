// How much of something is used, as a bar with numbers.
import { compact } from './text.ts';

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly total: number;
  readonly unit?: string;
  /** Whether the numbers are left to the title. */
  readonly bare?: boolean;
}

export function Meter({ label, used, total, unit = '', bare = false }: MeterProps) {
  const share = total > 0 ? Math.min(1, used / total) : 0;
  const text = `${compact(used)} of ${compact(total)}${unit && ` ${unit}`}`;
  return (
    <span class={`meter ${bare ? 'bare' : ''}`} title={`${label}: ${text}`}>
      <span
        class={`track ${share >= 0.9 ? 'full' : ''}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={Math.min(used, total)}
        aria-valuetext={text}
      >
        <span class="fill" style={{ width: `${share * 100}%` }} />
      </span>
      {!bare && <span class="numbers">{text}</span>}
    </span>
  );
}
