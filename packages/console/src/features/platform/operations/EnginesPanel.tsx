/** The engines, those that need a look first: health with the reason and what to do, version, latency, age of credentials. */
import { engines as known, isEngine, type EngineHealth } from '@slipway/contract/operations.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column, type RowGroup } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';

export const needsLook = ({ state }: EngineHealth): boolean => state === 'FAILED' || state === 'DEGRADED';
const looks = {
  OK: { tone: 'ok', word: 'Answers' },
  DEGRADED: { tone: 'warn', word: 'Degraded' },
  FAILED: { tone: 'bad', word: 'Does not answer' },
  UNUSED: { tone: 'off', word: 'Not used yet' },
} as const;

const labelOf = ({ id }: EngineHealth): string => (isEngine(id) ? known[id].label : id);
const adviceOf = ({ id }: EngineHealth): string => (isEngine(id) ? known[id].advice : '');

function Health({ engine }: { engine: EngineHealth }) {
  const { tone, word } = looks[engine.state];
  const status = <Status tone={tone}>{word}</Status>;
  if (!needsLook(engine)) return status;
  return (
    <TwoLines
      isUnderStatus
      below={
        <>
          since <RelativeTime at={engine.since} />: {engine.failure?.replace(/\.$/, '')}. {adviceOf(engine)} {engine.next}
        </>
      }
    >
      {status}
    </TwoLines>
  );
}

const columns: Column<EngineHealth>[] = [
  {
    key: 'engine',
    header: 'Engine',
    phone: 'title',
    width: 200,
    cell: (engine) => (
      <TwoLines below={[engine.technology, engine.place].filter((part) => part !== null).join(', ')}>{labelOf(engine)}</TwoLines>
    ),
  },
  { key: 'health', header: 'Health', phone: 'status', cell: (engine) => <Health engine={engine} /> },
  { key: 'version', header: 'Version', phone: 'meta', width: 160, cell: ({ version }) => version ?? <span className="quiet">–</span> },
  {
    key: 'latency',
    header: 'Answered in',
    phone: 'end',
    align: 'end',
    width: 110,
    cell: ({ latencyMs, state }) => (state === 'UNUSED' ? <span className="quiet">–</span> : <span className="num">{latencyMs} ms</span>),
  },
  {
    key: 'credentials',
    header: 'Credentials',
    isRoomy: true,
    width: 120,
    cell: ({ credentialsAt }) => (credentialsAt ? <RelativeTime at={credentialsAt} isShort /> : <span className="quiet">–</span>),
  },
];

/** Grouped only if an engine needs a look. */
const rowsOf = (engines: EngineHealth[] = []): { rows: EngineHealth[] } | { groups: RowGroup<EngineHealth>[] } => {
  const bad = engines.filter(needsLook);
  if (bad.length === 0) return { rows: engines };
  const others = engines.filter((engine) => !needsLook(engine));
  return {
    groups: [
      { key: 'bad', label: 'Needs a look', rows: bad },
      { key: 'well', label: 'Well', rows: others },
    ],
  };
};

export function EnginesPanel({ engines }: { engines: EngineHealth[] | undefined }) {
  const [first] = engines ?? [];
  return (
    <Panel aria-labelledby="engines">
      <PanelHead
        title="Engines"
        titleId="engines"
        {...(first
          ? {
              note: (
                <>
                  Asked <RelativeTime at={first.checkedAt} />
                </>
              ),
            }
          : {})}
      />
      <Table
        label="Engines"
        columns={columns}
        {...rowsOf(engines)}
        rowKey={({ id, place }) => `${id} ${place ?? ''}`}
        isLoading={!engines}
      />
    </Panel>
  );
}
