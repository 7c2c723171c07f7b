/** Users of the topic: writers on the left, partitions in the middle, readers with their lag on the right. */
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import type { TopicUser } from '@slipway/contract/streaming/grant.ts';
import type { TopicStatus } from '@slipway/contract/streaming/topic-status.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { cssVars, percent } from '@slipway/ui/css-vars.ts';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import type { ReactNode } from 'react';
import { ReaderLag } from '#features/streaming/parts/ReaderLag.tsx';
import { keptLabel } from '#features/streaming/streaming-labels.ts';
import css from './TopicFlow.module.css';
import { flowWidth, readerRows, writerRows, type ReaderRow, type WriterRow } from './flow-rows.ts';

export interface TopicFlowProps {
  topic: Topic;
  status: TopicStatus | undefined;
  /** Undefined until loaded. */
  users: readonly TopicUser[] | undefined;
  /** Non-members see current readers, which the cluster reports, but not who has access. */
  isMember: boolean | undefined;
  /** True if the users could not be loaded. */
  isUnknown: boolean;
}

/** Texts for an empty side: nobody, or nobody that the user may see. */
const emptyWords = ({ status, users, isMember, isUnknown }: TopicFlowProps): { write: string; read: string } => {
  const isKnown = users !== undefined;
  const other =
    isMember === false ? 'Which accounts may write it is for members of its team' : isUnknown ? 'Who may write it is not known now' : '';
  return {
    write: isKnown ? 'No account may write it yet' : other,
    read: !status ? 'Who reads it is not known now' : isKnown ? 'Nobody reads this topic yet' : 'Nobody reads it now',
  };
};

export function TopicFlow(props: TopicFlowProps) {
  const { topic, status, users = [] } = props;
  const empty = emptyWords(props);
  const writers = writerRows(users);
  const readers = readerRows(topic, status, users);
  const rate = topic.observed?.messagesPerSecond ?? null;
  const lost = readers.find(({ look, members }) => members === 0 && (look.tone === 'warn' || look.tone === 'bad'));
  return (
    <Panel aria-labelledby="fairway">
      <PanelHead
        title="Who uses this topic"
        titleId="fairway"
        note={status && props.users && `${count(writers.length, 'writes', 'write')}, ${count(readers.length, 'reads', 'read')}`}
      />
      <div className={css.fairway}>
        <div className={css.writers}>
          <div className={css.head}>
            <span>Write</span>
          </div>
          <Rows label="Accounts that write" empty={empty.write}>
            {writers.map((writer) => (
              <Writer key={writer.key} writer={writer} width={flowWidth(rate)} />
            ))}
          </Rows>
        </div>
        <Partitions status={status} />
        <div className={css.readers}>
          <div className={css.head}>
            <span />
            <span>Read</span>
            <span className="end">Clients</span>
            <span className="end">Lag</span>
            <span>Behind, of {keptLabel(topic.spec)} kept</span>
          </div>
          <Rows label="Accounts that read" empty={empty.read}>
            {readers.map((reader) => (
              <Reader
                key={reader.key}
                reader={reader}
                kept={keptLabel(topic.spec)}
                width={reader.members !== 0 ? flowWidth(rate) : undefined}
              />
            ))}
          </Rows>
        </div>
      </div>
      {lost && (
        <PanelFoot>
          <span>
            <strong>{lost.name}</strong> has no client. Messages that it has not read are deleted when they are older than{' '}
            {keptLabel(topic.spec)}.
          </span>
        </PanelFoot>
      )}
    </Panel>
  );
}

function Rows({ label, empty, children }: { label: string; empty: string; children: ReactNode[] }) {
  if (children.length === 0) return <p className={css.nobody}>{empty}</p>;
  return <ul aria-label={label}>{children}</ul>;
}

const Flow = ({ width }: { width: number | undefined }) => (
  <span
    className={css.flow}
    data-none={width === undefined || undefined}
    style={cssVars({ '--width': `${width ?? 0}px` })}
    aria-hidden="true"
  />
);

function Writer({ writer: { app, account, team }, width }: { writer: WriterRow; width: number | undefined }) {
  return (
    <li>
      <div className={css.who}>
        <span className={css.name}>{app}</span>
        <div className="meta ell">
          {account}, {team}
        </div>
      </div>
      <Flow width={width} />
    </li>
  );
}

function Reader({ reader, kept, width }: { reader: ReaderRow; kept: string; width: number | undefined }) {
  const { name, note, look, group, members, lagMessages, behind } = reader;
  return (
    <li>
      <Flow width={width} />
      <div className={css.who}>
        <span className={css.name}>
          <StatusIcon tone={look.tone} />
          <VisuallyHidden>{look.word}: </VisuallyHidden>
          {name}
        </span>
        <div className="meta ell">{note}</div>
      </div>
      <span className={css.clients}>{group === undefined ? '–' : (members ?? 'Not known')}</span>
      <span className={css.lag}>{group === undefined ? '–' : lagMessages.toLocaleString('en')}</span>
      {behind ? <ReaderLag behind={behind} kept={kept} /> : <span className="quiet">{look.word}</span>}
    </li>
  );
}

/** More would make the page long without saying more. */
const mostShown = 12;

/** The bars show skew: a partition with far more messages than the others indicates a hot key. */
function Partitions({ status }: { status: TopicStatus | undefined }) {
  const all = (status?.partitions ?? []).map(({ partition, firstOffset, nextOffset }) => ({ partition, kept: nextOffset - firstOffset }));
  const most = Math.max(1, ...all.map(({ kept }) => kept));
  const shown = all.slice(0, mostShown);
  return (
    <div className={css.hull}>
      <div className={css.head}>
        <span>Partition</span>
        <span>kept</span>
      </div>
      <div className={css.parts} role="img" aria-label={`Messages kept by partition: ${all.map(({ kept }) => kept).join(', ')}`}>
        {shown.map(({ partition, kept }) => (
          <div key={partition}>
            <span>{partition}</span>
            <span>
              <i style={cssVars({ '--share': percent(kept, most) })} />
            </span>
            <span>{kept.toLocaleString('en', { notation: 'compact' })}</span>
          </div>
        ))}
      </div>
      {all.length > mostShown && <p className="meta">and {all.length - mostShown} more</p>}
    </div>
  );
}
