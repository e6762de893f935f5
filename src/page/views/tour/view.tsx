// The stories that the page tells.
import type { Story } from '../../../stories/model.ts';
import { stories } from '../../../stories/stories.ts';
import { useRegions } from '../../core/cloud.ts';
import { useStore } from '../../core/store.ts';
import { beginAction, reading } from '../../core/story.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Command } from '../../parts/command.tsx';
import { Panel, ViewHead } from '../../parts/panel.tsx';
import { counted } from '../../parts/text.ts';

export const TourView = () => (
  <>
    <ViewHead title="Tour">
      Five stories of some minutes each. Take their steps with a client of your own or with a
      button. A story replaces this cloud by a preset, and its end restores the cloud.
    </ViewHead>
    <div class="grid stories">
      {stories.map((story) => (
        <StoryPanel key={story.name} story={story} />
      ))}
    </div>
  </>
);

function StoryPanel({ story }: { readonly story: Story }) {
  const current = useStore(reading);
  const [first] = useRegions();
  const { name, title, preset, firstRegion = first, steps } = story;
  return (
    <Panel title={title} aside={counted(steps.length, 'step')}>
      <p>{steps[0]!.text}</p>
      {first !== undefined && firstRegion === first ? (
        <ActionButton
          kind="primary"
          disabled={current !== undefined}
          action={() => beginAction(story)}
        >
          {current?.story === name ? 'Running' : `Begin on ${preset}`}
        </ActionButton>
      ) : (
        <p class="muted">The regions of its preset, {preset}, are not those of this cloud.</p>
      )}
      <p class="muted">In a terminal, on a cloud of its own:</p>
      <Command text={`npx cumulet tour ${name}`} />
    </Panel>
  );
}
