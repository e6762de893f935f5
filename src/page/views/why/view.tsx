// Decisions and their reasons: a list as they are taken, and one of them as a funnel.
import { cumulet, curlOf, type Action } from '../../core/actions.ts';
import { useRegion } from '../../core/cloud.ts';
import { readExplanations, type Explanation } from '../../core/explanations.ts';
import { emulator } from '../../core/http.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { clockTime, counted, shortId } from '../../parts/text.ts';
import { ExplanationPanel } from './explanation.tsx';

/** Explains all decisions, or failures only. */
const explainAll = (all: boolean): Action => ({
  text: all ? 'Every decision is explained.' : 'Only failures are explained.',
  command: curlOf('PUT', '/explain', { all }),
  run: () => emulator('/explain', { method: 'PUT', body: { all } }),
  inverse: () => explainAll(!all),
});

const most = 500;

/** The kinds of decisions that are kept. */
const kinds = ['server', 'action', 'lease'];

const titleOf = ({ name, subject, request_id }: Explanation): string =>
  name ?? shortId(subject ?? request_id);

const matches = (one: Explanation, text: string): boolean =>
  [one.name, one.subject, one.request_id, one.summary].some((field) => field?.includes(text));

const createTooMany =
  'openstack server create --flavor m1.xlarge --image cirros --network private --max 100 many';

const keyOf = ({ subject, request_id }: Explanation): string => subject ?? request_id;

export function WhyView() {
  const { outcome, kind, id, find = '' } = useQuery();
  const { parameter } = useRegion();
  const { data, error } = useLive(
    `why ${outcome} ${kind} ${parameter}`,
    ['explanations', 'emulator'],
    (signal) => {
      const filter = [outcome && `outcome=${outcome}`, kind && `kind=${kind}`, parameter];
      return readExplanations([`limit=${most}`, ...filter].filter(Boolean).join('&'), signal);
    },
  );
  const rows = data?.explanations.filter((one) => matches(one, find)) ?? [];
  const shown =
    data?.explanations.find((one) => one.subject === id || one.request_id === id) ??
    (id === undefined ? rows[0] : undefined);
  return (
    <>
      <ViewHead
        title="Why"
        controls={
          data && (
            <ActionButton action={() => explainAll(!data.all)}>
              {data.all ? 'Explain failures only' : 'Explain every decision'}
            </ActionButton>
          )
        }
      >
        Why a server is where it is, why no host was found, and what policies decided.{' '}
        {data && (data.all ? 'Every decision is explained.' : 'Failures are always explained.')}
      </ViewHead>
      <div class="filters">
        <TextField name="find" label="Find" placeholder="name, server or request id" wide />
        <Choice name="kind" label="About" options={kinds} />
        <Choice name="outcome" label="Outcome" options={['success', 'partial', 'failure']} />
      </div>
      {!data ? (
        <Pending error={error} />
      ) : !data.explanations.length ? (
        <Panel title="Decisions">
          <Empty command={createTooMany}>
            No decision is explained yet. Ask for more servers than there is room for:
          </Empty>
        </Panel>
      ) : (
        <div class="grid list-detail">
          <Panel title="Decisions" flush aside={counted(rows.length, 'decision')}>
            {rows.length ? (
              <Table
                label="Decisions"
                rows={rows}
                keyOf={keyOf}
                selected={shown && keyOf(shown)}
                height="70vh"
                onSelect={(one) => setQuery({ id: keyOf(one) })}
                columns={[
                  { title: 'Time', cell: ({ time }) => clockTime(time), width: '5.5rem' },
                  { title: 'About', cell: titleOf },
                  { title: 'Kind', cell: ({ kind }) => kind, minor: true },
                  { title: 'Outcome', cell: ({ outcome }) => <Status state={outcome} /> },
                ]}
              />
            ) : (
              <Empty>No decision matches.</Empty>
            )}
          </Panel>
          {shown ? (
            <ExplanationPanel explanation={shown} name={titleOf(shown)} />
          ) : (
            <Panel title="No explanation">
              <Empty command={cumulet('why', 'request', id ?? '')}>
                No decision about {id} is explained: failures always are, and successes only while
                every decision is explained.
              </Empty>
            </Panel>
          )}
        </div>
      )}
    </>
  );
}
