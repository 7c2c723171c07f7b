/** The comparison: one line for each resource, key or setting, with a checkbox where it can be promoted. */
import { planTextOf } from '@slipway/contract/pipeline/plan.ts';
import { promotionKinds, type PromotionRow } from '@slipway/contract/promotion.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { cellMain, Table, type Column, type RowGroup } from '@slipway/ui/list/Table.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { useState } from 'react';
import { paths } from '#entities/paths.ts';
import { canTake, isTaken, kindPlurals, linesOf, rowId, type Line } from './promotion-choice.ts';
import type { PromoteApp } from './use-promote-app.ts';

const hrefOf = (app: string, { kind, name, state }: PromotionRow): string => {
  const at = { app, env: state === 'ONLY_PRODUCTION' ? 'production' : 'development' };
  return {
    secretGroup: () => paths.secretGroup({ ...at, group: name }),
    database: () => paths.database({ ...at, database: name }),
    schema: () => paths.schema({ ...at, schema: name }),
    topic: () => paths.topic({ ...at, topic: name }),
    account: () => paths.account({ ...at, account: name }),
    service: () => paths.service({ ...at, service: name }),
  }[kind]();
};

const longest = 60;
const none = '–';
/** Contents of schemas and commands are shown on the pages of their resources. */
const brief = (text: string | null): string => (text === null ? none : text.length > longest ? 'other content' : text);

const hasSide = ({ state }: PromotionRow, side: 'before' | 'after'): boolean =>
  side === 'before' ? state !== 'MISSING' : state !== 'ONLY_PRODUCTION';

function Side({ line: { row, difference }, side }: { line: Line; side: 'before' | 'after' }) {
  if (difference) return brief(difference[side]);
  if (!hasSide(row, side)) return none;
  if (row.state !== 'DIFFERS') return 'exists';
  return (
    <>
      {row.differences.map((one) => (
        <div key={one.field}>
          <span className="meta">{one.label}</span> {brief(one[side])}
        </div>
      ))}
    </>
  );
}

/** The word has a mark; the sentence below may have several lines. */
function Remark({ tone, word, text }: { tone: Tone; word: string; text?: string }) {
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {text !== undefined && <div className="meta">{text}</div>}
    </>
  );
}

function Meaning({ line: { row, difference }, isChanged }: { line: Line; isChanged: boolean }) {
  const { state, blocked, notes, missingKeys } = row;
  if (isChanged) return <Remark tone="bad" word="Changed" text="It changed since you looked. Check it again." />;
  if (blocked) return <Remark tone="bad" word="Not possible now" text={planTextOf(blocked)} />;
  const [note] = notes;
  if (missingKeys.length > 0) return <Remark tone="warn" word="Needs a value" />;
  if (note) return <Remark tone="warn" word="Check first" text={planTextOf(note)} />;
  if (state === 'MISSING') return 'New in production';
  if (state === 'EQUAL') return <span className="quiet">Same</span>;
  if (state === 'ONLY_PRODUCTION') return <span className="quiet">Only in production</span>;
  return difference && !difference.isChosen ? 'Usually meant to differ' : 'Production gets this';
}

const columnsOf = (app: string, { ticks, tick, changed }: PromoteApp): Column<Line>[] => [
  {
    key: 'what',
    header: 'What',
    phone: 'title',
    cell: ({ row, difference }) => (
      <>
        <Link className={cellMain} href={hrefOf(app, row)}>
          {row.name}
        </Link>
        {difference && <div className="meta">{difference.label}</div>}
      </>
    ),
  },
  { key: 'development', header: 'Development', cell: (line) => <Side line={line} side="after" /> },
  { key: 'production', header: 'Production', cell: (line) => <Side line={line} side="before" /> },
  {
    key: 'meaning',
    header: 'What it means',
    cell: (line) => <Meaning line={line} isChanged={changed.has(rowId(line.row))} />,
  },
  {
    key: 'take',
    header: 'Promote',
    cell: (line) => {
      const { row, difference, id } = line;
      if (!canTake(row)) return null;
      return (
        <Checkbox
          label={<span className="sr">{`Promote ${row.name}${difference ? `, ${difference.label}` : ''}`}</span>}
          checked={isTaken(line, ticks)}
          onChange={(event) => tick(id, event.target.checked)}
        />
      );
    },
  },
];

interface PromotionLinesProps {
  app: string;
  rows: readonly PromotionRow[];
  state: PromoteApp;
  /** True while a promotion runs: nothing can be chosen. */
  isRunning: boolean;
}

export function PromotionLines({ app, rows, state, isRunning }: PromotionLinesProps) {
  const [isAll, setAll] = useState(false);
  const same = rows.filter((row) => row.state === 'EQUAL').length;
  const shown = rows.filter((row) => isAll || row.state !== 'EQUAL');
  const groups = promotionKinds.flatMap((kind): RowGroup<Line>[] => {
    const lines = shown.filter((row) => row.kind === kind).flatMap(linesOf);
    return lines.length > 0 ? [{ key: kind, label: kindPlurals[kind], rows: lines }] : [];
  });
  const columns = columnsOf(app, state).filter(({ key }) => key !== 'take' || !isRunning);
  return (
    <Panel aria-labelledby="what-differs">
      <PanelHead title="What differs" titleId="what-differs" note="Values of secrets are never copied">
        <Checkbox label="Only differences" checked={!isAll} onChange={(event) => setAll(!event.target.checked)} />
      </PanelHead>
      {groups.length === 0 ? (
        <EmptyState kind="first-use" title="Production is the same as development" isCompact>
          Nothing to promote.
        </EmptyState>
      ) : (
        <Table label="What differs" phone="flow" density="tall" columns={columns} groups={groups} rowKey={({ id }) => id} />
      )}
      {same > 0 && (
        <PanelFoot>
          <span className="meta">{same === 1 ? '1 resource is the same.' : `${same} resources are the same.`}</span>
        </PanelFoot>
      )}
    </Panel>
  );
}
