/** The columns of a list of topics. */
import { classificationLabels } from '@slipway/contract/streaming/streaming.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { paths } from '#entities/paths.ts';
import { statusColumn } from '#kit/list/columns.tsx';
import { Behind } from '#features/streaming/parts/Behind.tsx';
import { RateSpark } from '#features/streaming/parts/RateSpark.tsx';
import { behindOf, keptLabel, rateLabel, retentionMs, topicLook } from '#features/streaming/streaming-labels.ts';
import css from './topic-columns.module.css';

const none = <span className="meta">–</span>;

function Slowest({ topic: { observed, spec } }: { topic: Topic }) {
  if (!observed) return none;
  if (!observed.slowest) return observed.readers > 0 ? none : <span className="meta">Nobody reads it</span>;
  const { lagMs, lagMessages } = observed.slowest;
  return <Behind behind={behindOf(lagMs, lagMessages, retentionMs(spec))} kept={keptLabel(spec)} />;
}

/** `app`: app of the page; other apps' topics show their owner. `isAway`: the cluster is unreachable. */
export const topicColumns = (app: string, isAway: boolean): Column<Topic>[] => [
  {
    key: 'name',
    header: 'Topic',
    isSortable: true,
    phone: 'title',
    cell: ({ name, applicationCode, environmentClass, spec, tags }) => (
      <TwoLines
        below={[applicationCode === app ? classificationLabels[spec.dataSecurityClassification] : applicationCode, ...tags].join(', ')}
      >
        <Link className={cellMain} href={paths.topic({ app: applicationCode, env: environmentClass, topic: name })}>
          {name}
        </Link>
      </TwoLines>
    ),
  },
  statusColumn((topic) => topicLook(topic, isAway)),
  {
    key: 'readers',
    header: 'Read by',
    isRoomy: true,
    cell: ({ observed }) => (observed ? <span className="quiet">{count(observed.readers, 'reader')}</span> : none),
  },
  {
    key: 'rate',
    header: 'Messages/s',
    align: 'end',
    phone: 'end',
    cell: ({ observed }) =>
      observed?.messagesPerSecond === null || observed === null ? (
        none
      ) : (
        <span className="num">
          {rateLabel(observed.messagesPerSecond)}
          <span className="only-phone meta"> per s</span>
        </span>
      ),
  },
  {
    key: 'hour',
    header: 'Last hour',
    isRoomy: true,
    width: 104,
    cell: ({ observed }) =>
      observed ? (
        <span className={css.hour}>
          <RateSpark rates={observed.rates} />
        </span>
      ) : null,
  },
  { key: 'behind', header: 'Behind, of the time kept', phone: 'extra', cell: (topic) => <Slowest topic={topic} /> },
  {
    key: 'size',
    header: 'On disk',
    align: 'end',
    isRoomy: true,
    cell: ({ observed }) => (typeof observed?.sizeBytes === 'number' ? <span className="num">{bytes(observed.sizeBytes)}</span> : none),
  },
  { key: 'kept', header: 'Kept', align: 'end', isRoomy: true, cell: ({ spec }) => <span className="quiet num">{keptLabel(spec)}</span> },
];
