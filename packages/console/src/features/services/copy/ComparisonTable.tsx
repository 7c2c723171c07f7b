/** Source and target side by side, with a checkbox per difference and per section. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { planTextOf, type Plan, type PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import type { ReactNode } from 'react';
import { messageFor } from '#kit/error/messages.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { settingLabel } from '#entities/plan/setting-labels.ts';
import { bySection, isCarried, missingSecret, type MissingSecret, type Ticks } from './comparison.ts';
import css from './ComparisonTable.module.css';
import type { Refused } from './use-copy-form.ts';

export interface ComparisonTableProps {
  place: ServiceRef;
  target: { environment: string; isNew: boolean };
  plan: Plan;
  ticks: Ticks;
  onTick: (paths: readonly string[], value: boolean) => void;
  /** Secret groups in the target environment. */
  groups: readonly SecretGroup[] | undefined;
  refused: Refused;
}

const isStatic = (value: unknown): value is { value?: string } =>
  typeof value === 'object' && value !== null && 'source' in value && value.source === 'STATIC';

function Value({ change, side }: { change: ServiceChange; side: 'before' | 'after' }) {
  const text = settingLabel(change, change[side]);
  if (text === null) return <span className="meta">–</span>;
  if (text === '') return <span className="meta">empty</span>;
  const look = isStatic(change[side]) ? looksLikeSecret(change.label, text) : undefined;
  return look ? <span className="meta">hidden, looks like {look.kind}</span> : <span className={css.value}>{text}</span>;
}

export function ComparisonTable(props: ComparisonTableProps) {
  const { place, target, plan, ticks, onTick } = props;
  return (
    <Table
      label={`${place.service} and its copy in ${target.environment}`}
      phone="flow"
      columns={columnsFor(props)}
      rowKey={({ path }) => path}
      groups={bySection(plan.changes).map(({ section, title, changes: own }) => {
        const carried = own.filter(({ path }) => isCarried(ticks, path)).length;
        return {
          key: section,
          isWhole: false,
          label: (
            <Checkbox
              label={title}
              count={own.length}
              checked={carried === own.length}
              isIndeterminate={carried > 0 && carried < own.length}
              onChange={({ target: box }) =>
                onTick(
                  own.map(({ path }) => path),
                  box.checked,
                )
              }
            />
          ),
          rows: own,
        };
      })}
    />
  );
}

const staysLabel = (before: unknown, isNew: boolean): string => {
  if (before === null) return 'Left out';
  return isNew ? 'As a new service has it' : 'Stays as it is there';
};

const columnsFor = ({ place, target, plan, ticks, onTick, groups, refused }: ComparisonTableProps): Column<ServiceChange>[] => [
  {
    key: 'carry',
    header: 'Carry over',
    cell: ({ path, label }) => (
      <Checkbox
        className={css.tick}
        label={<span className={css.label}>{label}</span>}
        checked={isCarried(ticks, path)}
        onChange={({ target: box }) => onTick([path], box.checked)}
      />
    ),
  },
  {
    key: 'source',
    header: `Here, ${place.env}`,
    cell: (change) => (
      <div className={css.here}>
        <Value change={change} side="after" />
        <Remark
          place={place}
          environment={target.environment}
          missing={isCarried(ticks, change.path) ? missingSecret(change, groups) : undefined}
          error={refused.get(change.path)}
          warning={plan.warnings.find(({ field }) => field === change.path)}
        />
      </div>
    ),
  },
  {
    key: 'target',
    header: target.isNew ? 'A new service has' : `There, ${target.environment}`,
    cell: (change) => <Value change={change} side="before" />,
  },
  {
    key: 'becomes',
    header: 'After the copy',
    cell: ({ path, before }) =>
      isCarried(ticks, path) ? <strong>As here</strong> : <span className="quiet">{staysLabel(before, target.isNew)}</span>,
  },
];

interface RemarkProps {
  place: ServiceRef;
  environment: string;
  missing: MissingSecret | undefined;
  error: FieldError | undefined;
  warning: PlanNote | undefined;
}

/** Explains why this change can't be copied, and how to fix that. */
function Remark({ place, environment, missing, error, warning }: RemarkProps): ReactNode {
  if (missing) {
    const { group, key } = missing;
    const href =
      key === undefined
        ? paths.secretGroup({ app: place.app, env: place.env, group }, 'copy')
        : paths.secretGroup({ app: place.app, env: environment, group }, 'new-version');
    return (
      <p>
        <Status tone="warn">
          {key === undefined ? `${environment} has no secret group ${group}` : `${group} has no key ${key} in ${environment}`}
        </Status>{' '}
        <Link className="in" href={href}>
          {key === undefined ? 'Copy the group' : 'Add the key'}
        </Link>
      </p>
    );
  }
  if (!error && !warning) return null;
  return (
    <p role={error ? 'alert' : undefined}>
      {error ? (
        <Status tone="bad">{messageFor(error.code, error.context)}</Status>
      ) : (
        warning && <Status tone="warn">{planTextOf(warning)}</Status>
      )}
    </p>
  );
}
