/** Messages as rows, with columns from their schema. The offset opens the complete message beside the table. */
import { messageLimits, skippedMessages, skippedText, type SkippedRange, type TopicMessage } from '@slipway/contract/streaming/message.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { logTime } from '@slipway/ui/format/relative-time.ts';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { engineAway } from '#kit/api/query.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import { cellText, keyText, maskOf, messageKey } from './message-rows.ts';
import { Masked } from './MessageValue.tsx';
import css from './MessageTable.module.css';
import type { Messages } from './use-messages.ts';

export interface MessageTableProps {
  messages: Messages;
  rows: readonly TopicMessage[];
  columns: readonly string[];
  selected: string | undefined;
  onSelect: (message: TopicMessage) => void;
  notice: React.ReactNode;
  isFiltered: boolean;
  /** Oldest first. */
  isAscending: boolean;
  /** Shown in the footer. */
  tools: React.ReactNode;
}

const plain: Column<TopicMessage>[] = [
  {
    key: 'time',
    header: 'Time',
    phone: 'title',
    cell: ({ at }) => <span className={`num quiet ${css.time}`}>{logTime(new Date(at))}</span>,
  },
  { key: 'partition', header: 'Partition', align: 'end', isRoomy: true, cell: ({ partition }) => <span className="num">{partition}</span> },
];

const valueColumn = (path: string, isFirst: boolean): Column<TopicMessage> => ({
  key: `value ${path}`,
  header: <span className="mono">{path}</span>,
  label: path,
  phone: isFirst ? 'status' : 'extra',
  cell: ({ value, isTest }) => {
    if (value.state === 'UNREADABLE')
      return isFirst ? (
        <Status tone="warn">No schema can read it{value.sizeBytes === null ? '' : `, ${count(value.sizeBytes, 'byte')}`}</Status>
      ) : null;
    if (value.state === 'MASKED') return <Masked classification={value.masked[0]?.classification} />;
    if (value.state === 'EMPTY') return isFirst ? <span className="meta">No value</span> : null;
    const text = cellText(value, path);
    if (text === undefined) return <Masked classification={value.masked.find(() => maskOf(value, path) !== undefined)?.classification} />;
    return (
      <span className={css.cell}>
        {text} {isFirst && isTest && <Tag>test</Tag>}
      </span>
    );
  },
});

/** Shows the whole value in one column if it has no fields. */
const wholeColumn: Column<TopicMessage> = {
  key: 'value',
  header: 'Value',
  phone: 'status',
  cell: ({ value, isTest }) => (
    <span className={css.cell}>
      {value.state === 'MASKED' ? <Masked classification={value.masked[0]?.classification} /> : keyText(value)} {isTest && <Tag>test</Tag>}
    </span>
  ),
};

export function MessageTable(props: MessageTableProps) {
  const { messages, rows, columns, selected, onSelect, notice, isFiltered, isAscending } = props;
  const isAway = engineAway(messages.error) !== undefined;
  const all: Column<TopicMessage>[] = [
    ...plain,
    {
      key: 'offset',
      header: 'Offset',
      align: 'end',
      phone: 'end',
      cell: (message) => (
        <button
          type="button"
          className={css.offset}
          data-message={messageKey(message)}
          aria-pressed={messageKey(message) === selected}
          onClick={() => onSelect(message)}
        >
          {message.offset}
        </button>
      ),
    },
    { key: 'key', header: 'Key', phone: 'meta', cell: ({ key }) => <span className={`mono ${css.cell}`}>{keyText(key)}</span> },
    ...(columns.length === 0 ? [wholeColumn] : columns.map((path, index) => valueColumn(path, index === 0))),
  ];
  return (
    <Panel aria-label="Messages of the topic">
      {notice}
      <Skipped ranges={messages.skipped} />
      {isAway ? null : messages.error !== undefined && <DialogError error={messages.error} />}
      <Table
        label="Messages"
        density="compact"
        columns={all}
        rows={[...rows]}
        rowKey={messageKey}
        isSelected={(message) => messageKey(message) === selected}
        isLoading={messages.isLoading && rows.length === 0}
        loadingRows={12}
        empty={
          messages.error !== undefined ? (
            <Unread engine={engineAway(messages.error)} again={messages.again} />
          ) : (
            <EmptyState
              kind={isFiltered ? 'no-match' : 'first-use'}
              level={2}
              title={isFiltered ? 'No message fits' : 'No messages'}
              isCompact
            >
              {isFiltered
                ? 'Others are hidden by what is searched, or lie further on.'
                : 'Nothing was written yet, or it was deleted by age.'}
            </EmptyState>
          )
        }
      />
      <PanelFoot>
        <span role="status">
          {messages.isLoading && rows.length === 0 ? 'Reading messages' : `${count(rows.length, 'message')} shown`}
          {messages.scanned > rows.length ? `, ${messages.scanned.toLocaleString('en')} searched` : ''}
          {messages.scanned > rows.length && messages.left > 0 ? `, ${messages.left.toLocaleString('en')} still to search` : ''}
        </span>
        <span className="row">{props.tools}</span>
        <span className="push">
          {(rows.length > 0 || messages.next !== null) && <More messages={messages} shown={rows.length} isAscending={isAscending} />}
        </span>
      </PanelFoot>
    </Panel>
  );
}

const mostRanges = 3;
/** Lists messages that exist but are not among the rows, with position and reason. */
function Skipped({ ranges }: { ranges: readonly SkippedRange[] }) {
  const total = ranges.reduce((sum, range) => sum + skippedMessages(range), 0);
  if (total === 0) return null;
  return (
    <Notice tone="warn">
      <strong>{count(total, 'message')} cannot be shown.</strong>
      {ranges.slice(0, mostRanges).map((range) => {
        const { place, why } = skippedText(range);
        return (
          <div key={place}>
            {place}. {why}
          </div>
        );
      })}
      {ranges.length > mostRanges && <div>{count(ranges.length - mostRanges, 'more place')}.</div>}
    </Notice>
  );
}

const unread = (engine: string | undefined): string => {
  if (engine === undefined) return 'This is not an empty topic.';
  if (engine === 'schema registry')
    return 'Without the schema registry nobody knows how to read them, nor what to mask. What was written is still there.';
  return 'The cluster does not answer. What was written is still there.';
};
/** Unread messages are not shown as empty. The page's notice names the unreachable engine; this text explains the effect on messages. */
function Unread({ engine, again }: { engine: string | undefined; again: () => void }) {
  return (
    <EmptyState
      kind="error"
      level={2}
      title="The messages could not be read"
      isCompact
      actions={
        <Button size="sm" onClick={again}>
          Try again
        </Button>
      }
    >
      {unread(engine)}
    </EmptyState>
  );
}

/** One button for all states, so that it does not disappear while it has keyboard focus. */
function More({ messages, shown, isAscending }: { messages: Messages; shown: number; isAscending: boolean }) {
  const { isSearching, isLoading, next, stop, more } = messages;
  const isFull = shown >= messageLimits.page;
  const reason = isFull
    ? `The page holds ${messageLimits.page} messages. Choose another start.`
    : `These are the ${isAscending ? 'newest' : 'oldest'}`;
  return (
    <Button
      size="sm"
      variant="quiet"
      isBusy={isLoading && !isSearching}
      busyLabel="Reading"
      disabledReason={!isSearching && (next === null || isFull) ? reason : undefined}
      onClick={isSearching ? stop : more}
    >
      {isSearching ? 'Stop' : isAscending ? 'Newer' : 'Older'}
    </Button>
  );
}
