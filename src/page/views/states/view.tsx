// States of the cloud: snapshots, what differs between them, reset, export and presets.
import { useState } from 'preact/hooks';
import { cumulet, curlOf, perform, type Action } from '../../core/actions.ts';
import { emulator, send } from '../../core/http.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Command } from '../../parts/command.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { compact, dayTime } from '../../parts/text.ts';
import { ComparePanel } from './compare.tsx';
import type { Snapshot } from './model.ts';
import { RestorePanel } from './restore.tsx';

const saveAction = (name: string): Action => ({
  text: `The current state is saved as ${name}.`,
  command: cumulet('snapshot', 'save', name),
  run: () => emulator(`/snapshots/${encodeURIComponent(name)}`, { method: 'PUT' }),
});

const dropAction = (name: string): Action => ({
  text: `Snapshot ${name} is deleted.`,
  command: cumulet('snapshot', 'drop', name),
  run: () => emulator(`/snapshots/${encodeURIComponent(name)}`, { method: 'DELETE' }),
});

/** Resets the cloud. A snapshot is saved before, so that it can be undone. */
const resetAction = (): Action => ({
  text: 'The cloud is reset. The state before is the snapshot before-reset.',
  command: `${cumulet('snapshot', 'save', 'before-reset')} && ${cumulet('reset')}`,
  run: async () => {
    await emulator('/snapshots/before-reset', { method: 'PUT' });
    await emulator('/reset', { method: 'POST', body: {} });
  },
  inverse: () => ({
    text: 'The state before the reset is back.',
    command: cumulet('snapshot', 'restore', 'before-reset'),
    run: () => emulator('/snapshots/before-reset/restore', { method: 'POST', body: {} }),
  }),
});

/** Downloads the current state as a file. */
async function download(): Promise<void> {
  const response = await send('/_emulator/export');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = 'cumulet-export.ndjson';
  link.click();
  URL.revokeObjectURL(link.href);
}

const exportAction = (): Action => ({
  text: 'The state is exported. The file contains keys and hashes of passwords.',
  command: cumulet('export', 'cumulet-export.ndjson'),
  run: download,
});

export function StatesView() {
  const { data, error, reload } = useLive(
    'snapshots',
    ['emulator'],
    async (signal) =>
      (await emulator<{ snapshots: Snapshot[] }>('/snapshots', { signal })).snapshots,
  );
  const { restore, from, to } = useQuery();
  return (
    <>
      <ViewHead
        title="States"
        controls={
          <>
            <ActionButton action={exportAction}>Export</ActionButton>
            <ActionButton action={resetAction} kind="danger" onDone={reload}>
              Reset the cloud
            </ActionButton>
          </>
        }
      >
        Save the whole cloud under a name, return to it, and see what has changed since.
      </ViewHead>
      <Panel title="Snapshots" flush aside={<SaveForm onDone={reload} />}>
        {!data ? (
          <Pending error={error} />
        ) : data.length ? (
          <Snapshots snapshots={data} reload={reload} />
        ) : (
          <Empty command={cumulet('snapshot', 'save', 'start')}>
            No snapshot yet. Save the current state, for example as start:
          </Empty>
        )}
      </Panel>
      {restore !== undefined && <RestorePanel name={restore} />}
      {data && data.length > 0 && <ComparePanel snapshots={data} from={from} to={to} />}
      <Panel title="Start from something else">
        <p>This cloud can become a preset, and a new emulator can start from one:</p>
        <Command text="npx cumulet presets" />
        <Command text={cumulet('reset', '--preset', 'three-zones')} />
        <Command text="npx cumulet start --database memory: --preset three-zones" />
        <p>An export is a file for --seed:</p>
        <Command text={curlOf('GET', '/export')} />
      </Panel>
    </>
  );
}

interface SnapshotsProps {
  readonly snapshots: readonly Snapshot[];
  readonly reload: () => void;
}

const Snapshots = ({ snapshots, reload }: SnapshotsProps) => (
  <Table
    label="Snapshots"
    rows={snapshots}
    keyOf={({ name }) => name}
    columns={[
      { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
      { title: 'Saved', cell: ({ created_at }) => `${dayTime(created_at)} UTC`, minor: true },
      { title: 'Rows', numeric: true, minor: true, cell: ({ rows }) => compact(rows) },
      {
        title: 'Actions',
        cell: ({ name }) => (
          <span class="row">
            <button type="button" onClick={() => setQuery({ restore: name })}>
              Restore…
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => setQuery({ from: name, to: undefined })}
            >
              Compare
            </button>
            <ActionButton kind="quiet" action={() => dropAction(name)} onDone={reload}>
              Delete
            </ActionButton>
          </span>
        ),
      },
    ]}
  />
);

function SaveForm({ onDone }: { readonly onDone: () => void }) {
  const [name, setName] = useState('');
  const isValid = /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isValid && (await perform(saveAction(name)))) {
      setName('');
      onDone();
    }
  };
  return (
    <form class="row" onSubmit={(event) => void save(event)}>
      <label class="field">
        <span>Name</span>
        <input
          type="text"
          value={name}
          placeholder="start"
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={!isValid}>
        Save
      </button>
    </form>
  );
}
