// The current step of the story that the page tells, above every view.
import { useState } from 'preact/hooks';
import { filled } from '../../stories/play.ts';
import { go, hrefOf } from '../core/router.ts';
import { useStore } from '../core/store.ts';
import {
  endAction,
  goToStep,
  reading,
  storyOf,
  takeCurrentStep,
  valuesOf,
  type Reading,
} from '../core/story.ts';
import { ActionButton } from '../parts/button.tsx';
import { Command } from '../parts/command.tsx';

export function StoryBar() {
  const current = useStore(reading);
  return current && <CurrentStep key={current.step} current={current} />;
}

/** The address of a view that a story names, such as `why?kind=lease`. */
function addressOf(view: string): string {
  const [name = '', query = ''] = view.split('?');
  return hrefOf(name, Object.fromEntries(new URLSearchParams(query)));
}

function CurrentStep({ current }: { readonly current: Reading }) {
  const story = storyOf(current)!;
  const { text, command, requests = [], view = story.view } = story.steps[current.step]!;
  const isLast = current.step === story.steps.length - 1;
  return (
    <section class="story" aria-label={`Story: ${story.title}`}>
      <header>
        <h2>{story.title}</h2>
        <span class="muted">
          Step {current.step + 1} of {story.steps.length}
        </span>
      </header>
      <p role="status">{text}</p>
      <Command text={filled(command, valuesOf(current))} />
      <StepButtons
        current={current}
        hasRequests={requests.length > 0}
        isLast={isLast}
        show={() => go(addressOf(view))}
      />
    </section>
  );
}

interface StepButtonsProps {
  readonly current: Reading;
  readonly hasRequests: boolean;
  readonly isLast: boolean;
  /** Goes to the view that shows the result. */
  readonly show: () => void;
}

function StepButtons({ current, hasRequests, isLast, show }: StepButtonsProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const take = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await takeCurrentStep(current);
      show();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  const { step, isTaken } = current;
  return (
    <>
      {problem !== undefined && (
        <p class="failed" role="status">
          {problem}
        </p>
      )}
      <div class="row">
        {isTaken ? (
          <button type="button" onClick={show}>
            Show the result
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            aria-busy={isBusy}
            onClick={() => void take()}
          >
            {hasRequests ? 'Take the step' : 'Show it'}
          </button>
        )}
        {!isLast && (
          <button
            type="button"
            class={isTaken ? 'primary' : undefined}
            onClick={() => goToStep(current, step + 1)}
          >
            {isTaken ? 'Next step' : 'I have taken it'}
          </button>
        )}
        <EndButton isPrimary={isLast && isTaken} />
      </div>
    </>
  );
}

/** Ends the story, once the reader knows what that discards. */
function EndButton({ isPrimary }: { readonly isPrimary: boolean }) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <button type="button" class={isPrimary ? 'primary' : 'quiet'} onClick={() => setAsked(true)}>
        End the story
      </button>
    );
  return (
    <span class="row" role="status">
      <span>What any client has changed since the story began is lost.</span>
      <ActionButton kind="danger" action={endAction} onDone={() => go(hrefOf('tour'))}>
        Restore the cloud
      </ActionButton>
      <button type="button" class="quiet" onClick={() => setAsked(false)}>
        Go on
      </button>
    </span>
  );
}
