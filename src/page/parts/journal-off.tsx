// What a view shows in the place of requests while the journal is off.
import { cumulet } from '../core/actions.ts';
import { keepAction } from '../core/journal.ts';
import { ActionButton } from './button.tsx';
import { Empty } from './panel.tsx';

export const JournalOff = () => (
  <Empty
    action={
      <ActionButton kind="primary" action={() => keepAction(1_000, 0)}>
        Record requests
      </ActionButton>
    }
    command={cumulet('requests', 'keep', '1000')}
  >
    The journal is off. Switch it on to see each request as it arrives.
  </Empty>
);
