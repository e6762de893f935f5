// Light and dark: as the system says, unless the user has chosen.
import { Store, useStore } from '../core/store.ts';

const choices = ['auto', 'light', 'dark'] as const;
type Choice = (typeof choices)[number];

const key = 'cumulet.theme';
const theme = new Store<Choice>('auto');

function apply(choice: Choice): void {
  theme.set(choice);
  if (choice === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = choice;
}

/** Applies the choice that the user made earlier. A browser may refuse to store it. */
export function startTheme(): void {
  try {
    const stored = localStorage.getItem(key);
    apply(choices.find((choice) => choice === stored) ?? 'auto');
  } catch {
    apply('auto');
  }
}

function choose(choice: Choice): void {
  apply(choice);
  try {
    localStorage.setItem(key, choice);
  } catch {
    // The choice lasts until the page is closed.
  }
}

export function ThemeSwitch() {
  const current = useStore(theme);
  return (
    <label class="theme">
      <span class="hidden">Theme</span>
      <select
        value={current}
        onChange={(event) => choose(choices[event.currentTarget.selectedIndex] ?? 'auto')}
      >
        <option value="auto">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
