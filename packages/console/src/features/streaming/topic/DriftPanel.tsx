/** The wanted settings beside those on the cluster. Differences can be resolved both ways: restore ours, or keep the cluster's. */
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { topicDriftView, topicReconcile, type ForeignThing, type TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { sayEnd } from '#entities/pipeline/run-follower.ts';
import { useEngineQuery, type TopicPlace } from '#features/streaming/use-place.ts';
import { becomes, driftRows, settingName, type DriftRow } from './drift-rows.ts';

const words: Readonly<Record<TopicDifference['kind'], string>> = {
  MISSING: 'Not on the cluster',
  PARTITIONS: 'Other partitions',
  REPLICATION: 'Other replicas',
  CONFIG: 'Changed, not by Slipway',
  SUBJECT: 'Other schema in the registry',
  LEVEL: 'Other compatibility in the registry',
};
/** True if a foreign version was registered on top of ours. Saving the schema again puts ours on top. */
const isOvertaken = ({ kind, theirs, canRepair }: TopicDifference): boolean => kind === 'SUBJECT' && theirs !== null && !canRepair;

const columns: Column<DriftRow>[] = [
  {
    key: 'name',
    header: 'Setting',
    phone: 'title',
    cell: ({ name, difference }) => {
      const word = settingName(name);
      const shown = word ?? name;
      return (
        <>
          {difference ? <strong>{shown}</strong> : shown} {word !== undefined && name.includes('.') && <code className="meta">{name}</code>}
        </>
      );
    },
  },
  {
    key: 'ours',
    header: 'Slipway',
    phone: 'meta',
    cell: ({ ours, difference }) => (
      <span className="num">
        {difference && <span className="only-phone meta">Slipway </span>}
        {ours}
      </span>
    ),
  },
  {
    key: 'theirs',
    header: 'Cluster',
    phone: 'end',
    // Phones do not repeat equal values.
    cell: ({ theirs, difference }) => (
      <span className={difference ? 'num' : 'num only-wide'}>
        {difference && <span className="only-phone meta">Cluster </span>}
        {theirs}
      </span>
    ),
  },
  {
    key: 'result',
    header: 'Result',
    phone: 'status',
    cell: ({ difference }) => (difference ? <Status tone="warn">{words[difference.kind]}</Status> : <span className="quiet">Same</span>),
  },
];

/** The server detects changes on the cluster within a minute. */
const comparedMs = 30_000;

export function DriftPanel({ place, topic, team }: { place: TopicPlace; topic: Topic; team: string }) {
  const drift = useEngineQuery(place, topicDriftView, { params: { ...place } }, { pollMs: comparedMs, isAlwaysPolled: true });
  const { differences = [], comparedAt = null, isStale = false, foreign = [] } = drift.data ?? {};
  const note = (
    <>
      {differences.length > 0 ? `${differences.length} ${differences.length === 1 ? 'differs' : 'differ'}` : 'All the same'}
      {comparedAt !== null && (
        <>
          {isStale ? ' when last compared, ' : ' · compared '}
          <RelativeTime at={comparedAt} isShort />
        </>
      )}
    </>
  );
  return (
    <ListPanel
      label="Settings and the cluster"
      plural="settings on the cluster"
      list={drift}
      head={{ title: 'Settings and the cluster', ...(drift.data && comparedAt !== null ? { note } : {}) }}
      columns={columns}
      rows={drift.data ? driftRows(drift.data) : []}
      rowKey={({ name }) => name}
      density="compact"
      empty={
        <EmptyState kind="first-use" title="Not compared yet" isCompact>
          Cluster and registry have not been asked, or one does not answer.
        </EmptyState>
      }
    >
      {foreign.length > 0 && <Foreign things={foreign} />}
      {differences.length > 0 && <WaysOut place={place} topic={topic} team={team} differences={differences} />}
    </ListPanel>
  );
}

const wordsOf = ({ kind, name, rule }: ForeignThing): string => {
  if (kind === 'SUBJECT' || rule === null) return `Subject ${name}, which this topic does not use`;
  const from = rule.host === '*' ? '' : ` from ${rule.host}`;
  return `${rule.user} ${rule.permission === 'deny' ? 'may not' : 'may'} ${rule.operation} ${name}${from}`;
};

/** Objects that Slipway did not create and therefore leaves unchanged. */
function Foreign({ things }: { things: readonly ForeignThing[] }) {
  return (
    <PanelFoot>
      <span>Not made by Slipway, and left as it is:</span>
      <ul aria-label="Made by others">
        {things.map((thing) => (
          <li key={wordsOf(thing)}>{wordsOf(thing)}</li>
        ))}
      </ul>
    </PanelFoot>
  );
}

interface WaysOutProps {
  place: TopicPlace;
  topic: Topic;
  team: string;
  differences: readonly TopicDifference[];
}

function WaysOut({ place, topic, team, differences }: WaysOutProps) {
  const write = useWrite(topicReconcile);
  const repairable = differences.filter(({ canRepair }) => canRepair);
  const adoptable = differences.filter(({ canAdopt }) => canAdopt);
  const reason = reasonOf(topic.can, 'reconcile', { team });
  const ask = (keep: 'ours' | 'theirs', those: readonly TopicDifference[]): void =>
    confirmAction({
      title: keep === 'ours' ? `Put ${count(those.length, 'setting')} back?` : `Keep ${count(those.length, 'setting')} of the cluster?`,
      description: keep === 'ours' ? 'The cluster gets what Slipway has.' : 'Slipway takes over what the cluster has.',
      consequences: those.map((difference) => becomes(difference, keep)),
      confirmLabel: keep === 'ours' ? 'Put back' : 'Keep the cluster’s',
      busyLabel: 'Starting',
      variant: 'primary',
      run: async () => {
        const run = runOf(await write.send({ params: { ...place }, body: { keep } }));
        await refresh({ kind: 'topic', app: place.app, env: place.env });
        void sayEnd(run, { done: `${topic.name} and the cluster match`, failed: `${topic.name} could not be made to match` });
      },
    });
  const overtaken = differences.filter(isOvertaken);
  return (
    <PanelFoot>
      {overtaken.length > 0 && (
        <span>
          Somebody registered a version of {overtaken.map(({ name }) => name).join(' and ')} by themselves. Slipway does not take it away:
          save the schema again to make its version the newest.
        </span>
      )}
      <span className="push row row-wrap">
        <Button
          size="sm"
          disabledReason={reason ?? (adoptable.length === 0 ? 'Nothing of it can be taken over' : undefined)}
          onClick={() => ask('theirs', adoptable)}
        >
          Keep the cluster’s
        </Button>
        <Button
          size="sm"
          disabledReason={reason ?? (repairable.length === 0 ? 'Nothing of it can be put back' : undefined)}
          onClick={() => ask('ours', repairable)}
        >
          Put back {count(repairable.length, 'setting')}
        </Button>
      </span>
    </PanelFoot>
  );
}
