// The frame around the views: navigation, region, clock, connection, and what was done.
import { useEffect } from 'preact/hooks';
import { dismiss, history } from '../core/actions.ts';
import { useRegions } from '../core/cloud.ts';
import { asksForToken, isConnected } from '../core/http.ts';
import { isLive, notice } from '../core/live.ts';
import { go, hrefOf, place, setQuery, useQuery } from '../core/router.ts';
import { signInProblem } from '../core/session.ts';
import { useStore } from '../core/store.ts';
import { after } from '../core/timers.ts';
import { CopyButton } from '../parts/command.tsx';
import { ClockFace } from './clock.tsx';
import { StoryBar } from './story-bar.tsx';
import { ThemeSwitch } from './theme.tsx';
import { TokenForm } from './token-form.tsx';
import { views } from './views.ts';

export function Shell() {
  const { view: name } = useStore(place);
  const needsToken = useStore(asksForToken);
  const view = views.find((one) => one.name === name);
  useShortcuts();
  useEffect(() => {
    document.title = view?.name ? `${view.title} · Cumulet` : 'Cumulet';
  }, [view]);
  const Current = view?.component;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Navigation current={name} />
      <TopBar />
      <main id="main" tabIndex={-1}>
        <Notices />
        <StoryBar />
        {needsToken ? <TokenForm /> : Current ? <Current /> : <UnknownView />}
      </main>
      <DoneList />
    </div>
  );
}

const UnknownView = () => (
  <div class="empty">
    <p>
      There is no such view. Go to the <a href={hrefOf('')}>overview</a>.
    </p>
  </div>
);

/** The keys of the views after `g`, in their order. */
const keys = '1234567890t';

/** `g` and then the key of a view goes there; `/` goes to the first input of the view. */
function useShortcuts(): void {
  useEffect(() => {
    let isWaiting = false;
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const isTyping = /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('main input');
        if (field) event.preventDefault();
        field?.focus();
      }
      const view = isWaiting ? views.find((_, index) => keys[index] === event.key) : undefined;
      if (view) go(hrefOf(view.name));
      isWaiting = event.key === 'g';
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

const Navigation = ({ current }: { readonly current: string }) => (
  <nav class="side" aria-label="Views">
    <a class="brand" href={hrefOf('')}>
      <img src="/_emulator/ui/icon.svg" alt="" width="24" height="24" />
      Cumulet
    </a>
    <ul>
      {views.map(({ name, title }, index) => (
        <li key={name}>
          <a
            href={hrefOf(name)}
            aria-current={name === current ? 'page' : undefined}
            title={`g ${keys[index]}`}
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
    <p class="hint">
      <kbd>g</kbd> and a number opens a view, <kbd>/</kbd> its filter.
    </p>
  </nav>
);

function TopBar() {
  const { region } = useQuery();
  const regions = useRegions();
  return (
    <header class="top">
      {regions.length > 1 ? (
        <label class="region">
          <span class="hidden">Region</span>
          <select
            value={region ?? regions[0]}
            onChange={(event) => {
              const { selectedIndex, value } = event.currentTarget;
              setQuery({ region: selectedIndex ? value : undefined }, 'push');
            }}
          >
            {regions.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      ) : (
        <span class="region">{regions[0]}</span>
      )}
      <ClockFace />
      <span class="space" />
      <Connection />
      <ThemeSwitch />
    </header>
  );
}

function Connection() {
  const connected = useStore(isConnected);
  const live = useStore(isLive);
  const [shape, text] = !connected
    ? ['▲', 'Disconnected']
    : live
      ? ['●', 'Live']
      : ['◐', 'Connecting'];
  return (
    <span class={`connection ${connected && live ? 'good' : ''}`} role="status">
      <span aria-hidden="true">{shape}</span> {text}
    </span>
  );
}

function Notices() {
  const current = useStore(notice);
  const connected = useStore(isConnected);
  const problem = useStore(signInProblem);
  useEffect(() => (current ? after(8_000, () => notice.set(undefined)) : undefined), [current]);
  return (
    <div class="notices" role="status">
      {!connected && (
        <p class="notice bad">
          The emulator does not answer. The page shows what it last saw, and goes on when the
          emulator is back.
        </p>
      )}
      {connected && current && <p class="notice">{current.text} The page shows the new state.</p>}
      {problem !== undefined && <p class="notice bad">{problem}</p>}
    </div>
  );
}

/** What the page has done, with the command that does the same. */
function DoneList() {
  const all = useStore(history);
  return (
    <aside class="done" aria-live="polite" aria-label="What the page has done">
      <ol>
        {all.map(({ id, text, command, isError, undo }) => (
          <li key={id} class={isError ? 'bad' : undefined}>
            <p>
              <span aria-hidden="true">{isError ? '▲' : '✓'}</span> {text}
            </p>
            <code>{command}</code>
            <div class="row">
              <CopyButton text={command} label="Copy command" />
              {undo && (
                <button
                  type="button"
                  class="quiet"
                  onClick={() => {
                    dismiss(id);
                    undo();
                  }}
                >
                  Undo
                </button>
              )}
              <button type="button" class="quiet" onClick={() => dismiss(id)}>
                Dismiss
              </button>
            </div>
          </li>
        ))}
      </ol>
    </aside>
  );
}
