// Chooses an action on a cluster, shows what it would do now, and takes it.
import { useRegion } from '../../core/cloud.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Panel, Pending } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { previewAction, takeAction, verbs, type Cluster, type Verb } from './model.ts';

/** The number of nodes in a text; undefined lets the policies decide. */
const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

export function ActionPanel({ cluster }: { readonly cluster: Cluster }) {
  const query = useQuery();
  const verb = verbs[query['do'] ?? ''];
  return (
    <Panel title={`Act on ${cluster.name}`}>
      <div class="row">
        <Choice name="do" label="Action" options={Object.keys(verbs)} all="choose one" />
        {verb?.counts && <TextField name="count" label="Nodes" placeholder="as the policies say" />}
      </div>
      {verb ? (
        <PreviewedAction cluster={cluster} verb={verb} count={countOf(query['count'])} />
      ) : (
        <p class="muted preview">Choose an action to see what it would do before you take it.</p>
      )}
    </Panel>
  );
}

interface PreviewedProps {
  readonly cluster: Cluster;
  readonly verb: Verb;
  readonly count: number | undefined;
}

function PreviewedAction({ cluster, verb, count }: PreviewedProps) {
  const { prefix, parameter } = useRegion();
  const body = verb.body(count);
  const { data, error } = useLive(
    `preview ${prefix} ${cluster.id} ${JSON.stringify(body)}`,
    ['clustering', 'compute'],
    (signal) => previewAction(parameter, cluster.id, body, signal),
  );
  return (
    <div class="preview" role="status">
      {data ? (
        <>
          <p class="summary">
            {data.outcome !== 'success' && <Status state={data.outcome} />} {data.summary}
          </p>
          {data.text.length > 1 && <pre tabIndex={0}>{data.text.slice(1).join('\n')}</pre>}
        </>
      ) : (
        <Pending error={error} />
      )}
      <ActionButton
        kind="primary"
        disabled={data === undefined}
        action={() => takeAction(prefix, cluster, verb, verb.counts ? count : undefined)}
        onDone={() => setQuery({ do: undefined, count: undefined })}
      >
        {verb.title}
      </ActionButton>
    </div>
  );
}
