// Inputs that keep their value in the address of the page.
import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery, useQuery } from '../core/router.ts';
import { after } from '../core/timers.ts';

interface FieldProps {
  /** The name in the query. */
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly wide?: boolean;
}

/** A text that follows what the user types, a moment later. */
export function TextField({ name, label, placeholder, wide = false }: FieldProps) {
  const value = useQuery()[name] ?? '';
  const [text, setText] = useState(value);
  const cancel = useRef(() => {});
  useEffect(() => setText(value), [value]);
  const type = (next: string): void => {
    setText(next);
    cancel.current();
    cancel.current = after(200, () => setQuery({ [name]: next }));
  };
  return (
    <label class={`field ${wide ? 'wide' : ''}`}>
      <span>{label}</span>
      <input
        type="text"
        value={text}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => type(event.currentTarget.value)}
      />
    </label>
  );
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly string[];
  /** What the choice of nothing is called. */
  readonly all?: string;
}

export function Choice({ name, label, options, all = 'all' }: ChoiceProps) {
  const value = useQuery()[name] ?? '';
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}
