/** The messages of a topic: browse by offset, time and key, or live; one complete message; and, in development, a test message. */
import type { TopicMessage } from '@slipway/contract/streaming/message.ts';
import { messageLimits } from '@slipway/contract/streaming/message.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { reasonOf } from '#kit/error/messages.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { saveFile } from '#kit/save-file.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { TopicPlace } from '#features/streaming/use-place.ts';
import { isFound, keyText, knownPaths, messageKey } from './message-rows.ts';
import { ColumnsButton } from './ColumnsButton.tsx';
import { MessageDetail, messageId } from './MessageDetail.tsx';
import css from './MessagesTab.module.css';
import { MessageTable } from './MessageTable.tsx';
import { MessageTools, type ToolState } from './MessageTools.tsx';
import { ProducePanel } from './ProducePanel.tsx';
import { useChosenColumns } from './chosen-columns.ts';
import { useMessageKeys } from './use-message-keys.ts';
import { useMessages, useTail, type Asked, type TailState } from './use-messages.ts';

export interface MessagesTabProps {
  place: TopicPlace;
  topic: Topic;
  isMember: boolean | undefined;
  team: string;
  noRight: string;
}

export default function MessagesTab(props: MessagesTabProps) {
  if (props.isMember === undefined) return null;
  if (!props.isMember) {
    return (
      <MembersOnly label="Messages" title="Messages are for members of the team">
        {props.noRight}
      </MembersOnly>
    );
  }
  return <Browser {...props} />;
}

const defaults: ToolState = { from: 'newest', partition: '', offset: '', time: '', key: '', find: '' };
const froms = { newest: 'NEWEST', oldest: 'OLDEST', offset: 'OFFSET', time: 'TIME' } as const;
const isFrom = (word: string): word is keyof typeof froms => Object.hasOwn(froms, word);
const askedOf = ({ from, partition, offset, time, key }: ToolState): Asked => ({
  // Without a chosen time, reads the newest messages.
  from: isFrom(from) && (from !== 'time' || time !== '') ? froms[from] : 'NEWEST',
  partition,
  offset,
  time,
  key,
});

function Browser({ place, topic, team }: MessagesTabProps) {
  const { state, set } = useUrlState(defaults);
  const asked = askedOf(state);
  const messages = useMessages(place, asked);
  const [selected, setSelected] = useState<TopicMessage>();
  const [isLive, setLive] = useState(false);
  const [waiting, setWaiting] = useState<readonly TopicMessage[]>([]);
  const [isProducing, setProducing] = useState(false);
  // New messages wait while a message is open, so that they do not push it away.
  const tail = useTail(place, {
    isOn: isLive,
    partition: state.partition,
    onMessage: (message) => {
      if (state.key !== '' && keyText(message.key) !== state.key) return;
      if (selected) setWaiting((before) => [message, ...before].slice(0, messageLimits.page));
      else messages.add([message]);
    },
    onEnd: () => setLive(false),
  });
  const goLive = (isOn: boolean): void => {
    // Live messages need the newest first.
    if (isOn && asked.from !== 'NEWEST') set({ from: 'newest' });
    setLive(isOn);
  };
  const rows = messages.rows.filter((message) => isFound(message, state.find));
  const paths = knownPaths(messages.rows);
  const { columns, choose } = useChosenColumns(topic.id, paths);
  const select = (message: TopicMessage | undefined): void => {
    setProducing(false);
    setSelected(message);
    if (message === undefined && waiting.length > 0) {
      messages.add(waiting);
      setWaiting([]);
    }
  };
  const produceButton = useRef<HTMLButtonElement>(null);
  /** Moves the focus back to the message's row, or to the produce button. */
  const close = (): void => {
    const row = selected && document.querySelector<HTMLElement>(`[data-message="${messageKey(selected)}"]`);
    (row ?? produceButton.current)?.focus();
    select(undefined);
  };
  const open = (message: TopicMessage): void => {
    select(message);
    requestAnimationFrame(() => document.getElementById(messageId)?.focus());
  };
  const isAscending = asked.from !== 'NEWEST';
  const index = selected ? rows.findIndex((row) => messageKey(row) === messageKey(selected)) : -1;
  const step = (by: number): (() => void) | undefined => {
    const to = rows[index + by];
    return to && (() => select(to));
  };
  useMessageKeys({
    next: () => step(1)?.() ?? (index === -1 && rows[0] && select(rows[0])),
    previous: () => step(-1)?.(),
    close: selected || isProducing ? close : undefined,
    live: () => goLive(!isLive),
  });
  const download = (): void =>
    saveFile(new Blob([JSON.stringify(rows, undefined, 2)], { type: 'application/json' }), `${topic.topicName}.json`);
  const aside = isProducing ? (
    <ProducePanel place={place} topic={topic} onClose={close} onProduced={messages.again} />
  ) : selected ? (
    <MessageDetail
      place={place}
      message={selected}
      onNewer={step(isAscending ? 1 : -1)}
      onOlder={step(isAscending ? -1 : 1)}
      onClose={close}
    />
  ) : null;
  return (
    <>
      <MessageTools
        state={state}
        set={set}
        partitions={topic.spec.partitionNumber}
        isLive={isLive}
        onLive={goLive}
        actions={
          <Button ref={produceButton} disabledReason={reasonOf(topic.can, 'produce', { team })} onClick={() => setProducing(true)}>
            Produce test message
          </Button>
        }
      />
      <div className={aside ? css.both : undefined}>
        <MessageTable
          messages={messages}
          rows={rows}
          columns={columns}
          selected={selected && messageKey(selected)}
          onSelect={open}
          isAscending={isAscending}
          tools={
            <>
              <ColumnsButton columns={columns} paths={paths} onColumns={choose} />
              <Button
                size="sm"
                variant="quiet"
                onClick={download}
                disabledReason={rows.length === 0 ? 'There is nothing to download' : undefined}
              >
                Download
              </Button>
            </>
          }
          isFiltered={state.find !== '' || state.key !== '' || state.partition !== ''}
          notice={<Live tail={tail} isLive={isLive} waiting={waiting.length} onResume={() => select(undefined)} />}
        />
        {aside}
      </div>
    </>
  );
}

const saidMs = 10_000;
/** Throttles a changing number for screen readers. */
const useSaid = (value: number): number => {
  const [said, setSaid] = useState(value);
  const say = useEffectEvent(() => setSaid(value));
  useEffect(() => {
    const timer = setInterval(() => say(), saidMs);
    return () => clearInterval(timer);
  }, []);
  return said;
};

/** Announces new messages in one place, not per row. */
function Live(props: { tail: TailState; isLive: boolean; waiting: number; onResume: () => void }): ReactNode {
  const { tail, isLive, waiting, onResume } = props;
  const said = useSaid(waiting);
  const { tailPerSecond, tailMinutes } = messageLimits;
  if (!isLive) return tail.state === 'failed' ? <Notice tone="warn">The live view broke off. Switch it on again.</Notice> : null;
  const cap = `Live shows at most ${tailPerSecond} a second and stops after ${tailMinutes} min.`;
  return (
    <Notice
      tone="run"
      actions={
        waiting > 0 && (
          <Button size="sm" onClick={onResume}>
            Resume
          </Button>
        )
      }
    >
      {waiting > 0 ? (
        <>
          <strong>Paused</strong> while you read. {waiting} newer. <VisuallyHidden role="status">{said} newer</VisuallyHidden>
        </>
      ) : (
        <strong>{tail.state === 'live' ? 'Live.' : 'Connecting.'}</strong>
      )}{' '}
      {cap} {tail.skipped > 0 && `${count(tail.skipped, 'message')} not shown, since more came.`}
    </Notice>
  );
}
