// What a restore would lose, before it is done.
import { cumulet, type Action } from '../../core/actions.ts';
import { emulator } from '../../core/http.ts';
import { useLive } from '../../core/live.ts';
import { setQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Panel, Pending } from '../../parts/panel.tsx';
import { Differences } from './compare.tsx';
import { differences, readState } from './difference.ts';

const restoreState = (name: string): Promise<unknown> =>
  emulator(`/snapshots/${encodeURIComponent(name)}/restore`, { method: 'POST', body: {} });

/** Restores a snapshot. The state before is saved, so that it can be undone. */
const restoreAction = (name: string): Action => ({
  text: `The cloud is at ${name}. The state before is the snapshot before-restore.`,
  command:
    `${cumulet('snapshot', 'save', 'before-restore')} && ` + cumulet('snapshot', 'restore', name),
  run: async () => {
    await emulator('/snapshots/before-restore', { method: 'PUT' });
    await restoreState(name);
  },
  inverse: () => ({
    text: 'The state before the restore is back.',
    command: cumulet('snapshot', 'restore', 'before-restore'),
    run: () => restoreState('before-restore'),
  }),
});

export function RestorePanel({ name }: { readonly name: string }) {
  const close = (): void => setQuery({ restore: undefined });
  const { data, error } = useLive(`restore ${name}`, [], async (signal) =>
    differences(await readState(name, signal), await readState(undefined, signal)),
  );
  return (
    <Panel
      title={`Restore ${name}`}
      aside={
        <>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <ActionButton kind="primary" action={() => restoreAction(name)} onDone={close}>
            Restore
          </ActionButton>
        </>
      }
    >
      {!data ? (
        <Pending error={error} />
      ) : data.length ? (
        <>
          <p>These changes, of all clients, have been made since. A restore takes them back:</p>
          <Differences tables={data} />
        </>
      ) : (
        <p>No resource has changed since.</p>
      )}
    </Panel>
  );
}
